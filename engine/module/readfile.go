package module

import (
	"context"
	"fmt"
	"io"
)

// MostText is the most, in bytes, that is read of a host's file as a text. Otherwise a user
// of the host could fill the memory of the machine kinit runs on.
const MostText = 8 << 20

// ReadFile reads a text file of a host. A file of more than MostText is an error.
func ReadFile(ctx context.Context, files Files, path string) ([]byte, error) {
	file, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MostText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MostText {
		return nil, fmt.Errorf("%s has more than %d MiB, which is no text that kinit reads or edits", path, MostText>>20)
	}
	return text, nil
}

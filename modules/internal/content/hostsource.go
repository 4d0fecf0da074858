package content

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// FromHost returns the content of a file of the host itself, and its description. It follows
// links.
func FromHost(ctx context.Context, h module.Host, name string) (Source, module.FileInfo, error) {
	at, info, err := hostfile.Regular(ctx, h, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = hostfile.Missing(h, name)
	}
	if err != nil {
		return Source{}, info, err
	}
	if info.Size <= DiffBytes {
		text, err := ReadAll(ctx, h, at)
		return FromText(text), info, err
	}
	sum, err := Sum(ctx, h, "sha256", at)
	return Source{
		Size: info.Size, SHA256: sum,
		open: func(ctx context.Context) (io.ReadCloser, error) { return h.Files().Open(ctx, at) },
	}, info, err
}

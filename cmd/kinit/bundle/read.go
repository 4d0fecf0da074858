package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Each calls f with each file of a bundle until f returns an error, which Each then
// returns.
func Each(content []byte, f func(name, text string) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("read a bundle: %w", err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a bundle: %w", err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return fmt.Errorf("read a bundle: %w", err)
		}
		if err := f(header.Name, string(text)); err != nil {
			return err
		}
	}
}

// Package content sets a file's content, for the modules copy
// and template.
//
// It compares by size and checksum, shows a diff of texts,
// and writes atomically. A file from before kinit is replaced only if
// the host belongs to no cluster, or with a backup that cleanup restores.
package content

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/localfile"
)

// Source is the wanted content of a file.
type Source struct {
	Size   int64  // bytes
	SHA256 string // in hex
	Text   []byte // the content itself, if available; nil for a large file
	open   func(ctx context.Context) (io.ReadCloser, error)
}

// FromText returns the source of an available content.
func FromText(text []byte) Source {
	return Source{
		Size: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256(text)), Text: text,
		open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
}

// Hide registers the checksum of a secret content with the run: from the checksum of a short
// text, the text can be guessed.
func (s Source) Hide(h module.Host, isSecret bool) {
	if isSecret {
		h.AddSecret(secret.Value(s.SHA256))
	}
}

// FromFile returns the content of a file of this machine. A small file is read now, a
// large one is read here for its checksum and again when it is sent.
func FromFile(files module.LocalFiles, path string) (Source, error) {
	f, info, err := localfile.Open(files, path)
	if err != nil {
		return Source{}, fmt.Errorf("source: %w", err)
	}
	defer f.Close()
	if info.Size() <= DiffBytes {
		text, err := io.ReadAll(f)
		return FromText(text), err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	return Source{
		Size: size, SHA256: fmt.Sprintf("%x", sum.Sum(nil)),
		open: func(context.Context) (io.ReadCloser, error) {
			again, _, err := localfile.Open(files, path)
			return again, err
		},
	}, err
}

// Outputs are the outputs of a task that makes a file.
type Outputs struct {
	Path   string `cty:"path" arg:"dest,content"` // the file
	SHA256 string `cty:"sha256"`                  // checksum of the content asked for, in hex; empty for an absent file
	Size   int64  `cty:"size"`                    // bytes of the requested content; 0 for an absent file
}

// Outputs returns the values for a file at the path; a zero source means an absent one.
func (s Source) Outputs(path string) Outputs {
	return Outputs{Path: path, SHA256: s.SHA256, Size: s.Size}
}

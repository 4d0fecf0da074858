// Package content brings a file's content about: it is what the modules copy
// and template have in common.
//
// It compares by size and checksum, shows a diff where there is text to show,
// and writes in one go. A file that was there before is replaced only where
// nothing has an owner or with a backup that cleanup puts back.
package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/localfile"
)

// Source is what a file should contain.
type Source struct {
	Size   int64  // bytes
	SHA256 string // in hex
	Text   []byte // the content itself, where it is at hand; nil for a large file
	open   func() (io.ReadCloser, error)
}

// FromText is content that is at hand.
func FromText(text []byte) Source {
	sum := sha256.Sum256(text)
	return Source{
		Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]), Text: text,
		open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
}

// Hide makes the checksum of a secret content known to the run: from that of a short
// text, the text can be guessed.
func (s Source) Hide(h module.Host, isSecret bool) {
	if isSecret {
		h.AddSecret(secret.Value(s.SHA256))
	}
}

// FromFile is the content of a file of this machine. A small file is read now, a
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
		Size: size, SHA256: hex.EncodeToString(sum.Sum(nil)),
		open: func() (io.ReadCloser, error) {
			again, _, err := localfile.Open(files, path)
			return again, err
		},
	}, err
}

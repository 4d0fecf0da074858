package backupfile

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"kinit/engine/atomicfile"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// Writer adds parts to a backup.
type Writer struct {
	archive *tar.Writer
	parts   []Part
}

// Write writes a backup with mode 0600, whole or not at all. It replaces a file only if replace is
// set. add adds the parts and returns the manifest without them. Nothing is written that is not encrypted.
func Write(file string, replace bool, to secretfile.Readers, add func(*Writer) (Manifest, error)) error {
	write := atomicfile.New
	if replace {
		write = atomicfile.Write
	}
	return write(file, 0o600, func(out *os.File) error {
		encrypted, err := to.Encrypt(out)
		if err != nil {
			return err
		}
		w := &Writer{archive: tar.NewWriter(encrypted)}
		m, err := add(w)
		if err == nil {
			err = w.end(m)
		}
		if err != nil {
			return err // the incomplete file is removed, so its end is not written
		}
		return errors.Join(w.archive.Close(), encrypted.Close(), atomicfile.Sync(out))
	})
}

// Text adds a small part. Several parts of one name are an error.
func (w *Writer) Text(name string, content secret.Value) error {
	if len(content) > largestText {
		return fmt.Errorf("%s has more than %d bytes", name, largestText)
	}
	return w.Stream(name, int64(len(content)), strings.NewReader(content.Reveal()))
}

// Stream adds a part whose size is known. A part that has another size is an error.
func (w *Writer) Stream(name string, size int64, from io.Reader) error {
	if err := checkName(name); err != nil {
		return err
	}
	if slices.ContainsFunc(w.parts, func(p Part) bool { return p.Name == name }) {
		return fmt.Errorf("there are two parts named %s", name)
	}
	if err := w.begin(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	written, err := io.Copy(io.MultiWriter(w.archive, sum), from)
	if errors.Is(err, tar.ErrWriteTooLong) || err == nil && written != size {
		return fmt.Errorf("%s does not have %d bytes, as was announced", name, size)
	}
	w.parts = append(w.parts, Part{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return err
}

// begin begins an entry of the archive.
func (w *Writer) begin(name string, size int64) error {
	return w.archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, Format: tar.FormatPAX})
}

func (w *Writer) end(m Manifest) error {
	m.Version, m.Parts = version, w.parts
	if err := m.check(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := w.begin(manifestName, int64(len(text))); err != nil {
		return err
	}
	_, err = w.archive.Write(text)
	return err
}

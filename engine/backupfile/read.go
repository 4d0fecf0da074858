package backupfile

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// What is kept of a backup in memory: parts of at most so many bytes, and so many bytes in all.
const (
	largestText = 1 << 20
	mostTexts   = 32 << 20
)

// Backup is a backup that was read to its end and is as its manifest says.
type Backup struct {
	Manifest
	Texts map[string]secret.Value // the contents of its small parts
}

// Read decrypts a whole file and checks it. Larger parts are checked and not kept.
func Read(file string, keys *secretfile.Keys) (*Backup, error) {
	in, plain, err := open(file, keys)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b := &Backup{Texts: map[string]secret.Value{}}
	err = b.read(tar.NewReader(plain))
	if err == nil {
		_, err = io.Copy(io.Discard, plain) // the end of the encryption may be all that was cut off
	}
	if err != nil {
		return nil, damaged(file, err)
	}
	return b, nil
}

// open begins to decrypt a file.
func open(file string, keys *secretfile.Keys) (*os.File, io.Reader, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	plain, err := keys.Reader(in)
	if err == nil {
		return in, plain, nil
	}
	in.Close()
	if errors.Is(err, secretfile.ErrNotEncrypted) {
		return nil, nil, fmt.Errorf("%s is no backup: %w", file, err)
	}
	return nil, nil, fmt.Errorf("%s: %w", file, err)
}

func damaged(file string, err error) error {
	return fmt.Errorf("the backup %s is damaged: %w", file, err)
}

// read reads the archive, whose manifest is its last entry.
func (b *Backup) read(archive *tar.Reader) error {
	var found []Part
	left := mostTexts
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return errors.New("it ends without its manifest")
		}
		if err != nil {
			return err
		}
		sum, text := sha256.New(), &bytes.Buffer{}
		to := io.Writer(sum)
		if header.Size <= largestText {
			if left -= int(header.Size); left < 0 {
				return fmt.Errorf("its small parts have more than %d bytes", mostTexts)
			}
			to = io.MultiWriter(sum, text)
		}
		if _, err := io.Copy(to, archive); err != nil {
			return err
		}
		if header.Name == manifestName {
			return b.end(archive, text.Bytes(), found)
		}
		if err := checkName(header.Name); err != nil {
			return err
		}
		found = append(found, Part{Name: header.Name, Size: header.Size, SHA256: hex.EncodeToString(sum.Sum(nil))})
		if header.Size <= largestText {
			b.Texts[header.Name] = secret.Value(text.String())
		}
	}
}

// end compares the manifest with what was found.
func (b *Backup) end(archive *tar.Reader, text []byte, found []Part) error {
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("its manifest cannot be read: %w", err)
	}
	if err := b.Manifest.check(); err != nil {
		return err
	}
	if !slices.Equal(found, b.Parts) {
		return errors.New("its parts are not those of its manifest")
	}
	if _, err := archive.Next(); err != io.EOF {
		return errors.Join(errors.New("it does not end after its manifest"), err)
	}
	return nil
}

// OpenPart returns a part by what the manifest says of it. It is decrypted while it is read; a content
// that the manifest does not say is an error in place of io.EOF.
func OpenPart(file string, keys *secretfile.Keys, part Part) (io.ReadCloser, error) {
	in, plain, err := open(file, keys)
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if err != nil {
			in.Close()
			if err == io.EOF {
				err = fmt.Errorf("there is no part %s", part.Name)
			}
			return nil, damaged(file, err)
		}
		if header.Name == part.Name {
			return &opened{Closer: in, from: archive, sum: sha256.New(), want: part, file: file}, nil
		}
	}
}

// opened is a part that is being read.
type opened struct {
	io.Closer
	from io.Reader
	sum  hash.Hash
	want Part
	file string
}

func (o *opened) Read(p []byte) (int, error) {
	n, err := o.from.Read(p)
	_, _ = o.sum.Write(p[:n]) // a hash returns no error
	switch {
	case err == io.EOF && hex.EncodeToString(o.sum.Sum(nil)) != o.want.SHA256:
		return n, damaged(o.file, fmt.Errorf("the part %s is not as its manifest says", o.want.Name))
	case err != nil && err != io.EOF:
		return n, damaged(o.file, err)
	}
	return n, err
}

// Package media manages small images that guests read, such as seeds, as files of a host:
// made in memory, compared by checksum, owned by a mark.
//
// The modules define the content of an image. It is never shown because it contains keys.
package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/virt"
)

// Image is one image on a host.
type Image struct {
	Path string // absolute; its folder must exist
	Of   string // the guest it is for, in the text of steps
	module.Presence
	// Build returns the bytes, always the same ones for the same arguments.
	Build func(ctx context.Context, h module.Host) ([]byte, error)
}

// state is the part of the host's state that Plan needs.
type state struct {
	exists bool
	sum    string // SHA-256 of the existing file
	marked bool   // the owner's manifest has the image
}

// Plan compares the file with the image that Build makes, or removes it. The mark of an interrupted
// creation is removed too.
func (i Image) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := i.read(ctx, h)
	switch {
	case err != nil:
		return nil, err
	case i.Absent() && (s.exists || s.marked):
		return module.OneStep("remove seed "+i.Path, i.remove), nil
	case i.Absent():
		return nil, nil
	}
	image, err := i.Build(ctx, h)
	if err != nil {
		return nil, err
	}
	switch {
	case !s.exists:
		return module.OneStep(fmt.Sprintf("create seed %s of %s", i.Path, i.Of), i.write), nil
	case s.sum != fmt.Sprintf("%x", sha256.Sum256(image)):
		return module.OneStep(fmt.Sprintf("replace seed %s of %s", i.Path, i.Of), i.write), nil
	}
	return nil, nil
}

// Sum is the SHA-256 of the file in hex, empty for an absent one.
func (i Image) Sum(ctx context.Context, h module.Host) (string, error) {
	s, err := i.read(ctx, h)
	return s.sum, err
}

// read hashes the file. It ignores mode and owner: libvirt gives the file to
// QEMU's user while a domain uses it. It also returns the error for a file that is not the
// owner's, so that steps check it again.
func (i Image) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if _, s.marked, err = ownership.Of(ctx, h, i.Path); err != nil {
		return s, err
	}
	file, err := h.Files().Open(ctx, i.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer file.Close()
	if !s.marked && h.Owner() != "" {
		return s, ownership.NotOwned(h, module.Mark{ID: i.Path}, i.Path+" exists on "+h.Name()+" and",
			"choose another path, or remove it yourself if nothing needs it")
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return s, fmt.Errorf("read %s: %w", i.Path, err)
	}
	s.exists, s.sum = true, fmt.Sprintf("%x", hash.Sum(nil))
	return s, nil
}

// write uploads the image, readable only by root; libvirt lets QEMU read it.
func (i Image) write(ctx context.Context, h module.Host) error {
	if _, err := i.read(ctx, h); err != nil {
		return err
	}
	image, err := i.Build(ctx, h)
	if err != nil {
		return err
	}
	return Write(ctx, h, i.Path, image)
}

// Write writes an image to the host, marked first and readable only by root.
func Write(ctx context.Context, h module.Host, path string, image []byte) error {
	if err := h.Own(ctx, virt.VolumeMark(path)); err != nil {
		return err
	}
	return h.Files().Write(ctx, path, bytes.NewReader(image), module.Attr{Mode: 0o600})
}

func (i Image) remove(ctx context.Context, h module.Host) error {
	if _, err := i.read(ctx, h); err != nil {
		return err
	}
	return virt.RemoveVolume(ctx, h, i.Path)
}

// Check finds the mistake in the path of an image.
func Check(file string) error {
	if !path.IsAbs(file) {
		return fmt.Errorf("path %q: expected an absolute path", file)
	}
	return nil
}

// HostKey is an Ed25519 key pair of SSH.
type HostKey struct {
	// Private is the private key in the format of OpenSSH.
	Private secret.Value `hcl:"private"`
	// Public is the public key, such as "ssh-ed25519 AAAA…".
	Public string `hcl:"public"`
}

// Check returns an error if a guest's SSH server does not accept a key pair. It never
// contains the key. Nil is right.
func (k *HostKey) Check() error {
	switch {
	case k == nil:
		return nil
	case !strings.HasPrefix(strings.TrimSpace(k.Private.Reveal()), "-----BEGIN OPENSSH PRIVATE KEY-----"):
		return errors.New("host_key: private is no private key in the format of OpenSSH")
	case !strings.HasPrefix(k.Public, "ssh-ed25519 "):
		return errors.New("host_key: public is no Ed25519 key: expected \"ssh-ed25519 \" and the key")
	}
	return nil
}

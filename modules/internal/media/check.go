package media

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/secret"
)

// Check finds the mistake in the path of an image.
func Check(file string) error {
	if !path.IsAbs(file) {
		return fmt.Errorf("path %q: expected an absolute path", file)
	}
	return nil
}

// CheckHostKey returns an error if a guest's SSH server does not accept a key pair. It never
// contains the key.
func CheckHostKey(private secret.Value, public string) error {
	if !strings.HasPrefix(strings.TrimSpace(private.Reveal()), "-----BEGIN OPENSSH PRIVATE KEY-----") {
		return errors.New("host_key: private is no private key in the format of OpenSSH")
	}
	if !strings.HasPrefix(public, "ssh-ed25519 ") {
		return errors.New("host_key: public is no Ed25519 key: expected \"ssh-ed25519 \" and the key")
	}
	return nil
}

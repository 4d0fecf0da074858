package media

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/secret"
)

// Check finds mistakes in the arguments that every module of an image has: its path, and
// whether it is to be there.
func Check(file, state string) error {
	if !path.IsAbs(file) {
		return fmt.Errorf("path %q: expected an absolute path", file)
	}
	if state != "present" && state != "absent" {
		return fmt.Errorf("state %q: expected \"present\" or \"absent\"", state)
	}
	return nil
}

// CheckHostKey tells whether a guest's SSH server takes a key pair. The error never shows
// the key.
func CheckHostKey(private secret.Value, public string) error {
	if !strings.HasPrefix(strings.TrimSpace(private.Reveal()), "-----BEGIN OPENSSH PRIVATE KEY-----") {
		return errors.New("host_key: private is no private key in the format of OpenSSH")
	}
	if !strings.HasPrefix(public, "ssh-ed25519 ") {
		return errors.New("host_key: public is no Ed25519 key: expected \"ssh-ed25519 \" and the key")
	}
	return nil
}

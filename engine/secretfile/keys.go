package secretfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"kinit/engine/secret"
	"kinit/engine/trust"
)

// Variable is the environment variable that names the file of keys.
const Variable = "KINIT_AGE_KEY_FILE"

// Keys are the private keys of one file. They are never printed.
type Keys struct {
	file       string
	identities []age.Identity
	public     []string
}

// File is where the private keys are: the file that the environment names, or
// .config/kinit/age.key in the home folder. The environment's later entries win,
// as in os/exec.
func File(environ []string, home string) string {
	file := filepath.Join(home, ".config", "kinit", "age.key")
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, Variable+"="); ok && value != "" {
			file = value
		}
	}
	return file
}

// ReadKeys reads a file of private keys: one AGE-SECRET-KEY-… a line, as age-keygen writes
// it. Empty lines and those that start with # are ignored. The error for a missing file is
// fs.ErrNotExist, and that for a file that other users can read trust.ErrUntrusted.
func ReadKeys(file string) (*Keys, error) {
	err := trust.Key(file)
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the private keys: %w", err)
	}
	return ParseKeys(file, secret.Value(text))
}

// ParseKeys reads the text of a file of private keys.
func ParseKeys(file string, text secret.Value) (*Keys, error) {
	identities, err := age.ParseIdentities(strings.NewReader(text.Reveal()))
	if err != nil {
		// The library's error may quote a line, which could be half a key.
		return nil, fmt.Errorf("%s has no valid private keys: expected a line AGE-SECRET-KEY-… a key, as kinit or age-keygen writes it", file)
	}
	keys := &Keys{file: file, identities: identities}
	for _, identity := range identities {
		public, err := publicOf(identity)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		keys.public = append(keys.public, public)
	}
	return keys, nil
}

// Public returns the public keys, in the order of the file.
func (k *Keys) Public() []string { return append([]string(nil), k.public...) }

// GenerateKey makes a private key: the text of a file for it, and its public key.
func GenerateKey() (file, public string, err error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	public = identity.Recipient().String()
	return "# public key: " + public + "\n" + identity.String() + "\n", public, nil
}

func publicOf(identity age.Identity) (string, error) {
	switch identity := identity.(type) {
	case *age.X25519Identity:
		return identity.Recipient().String(), nil
	case *age.HybridIdentity:
		return identity.Recipient().String(), nil
	}
	return "", fmt.Errorf("keys of the type %T are not supported", identity)
}

func recipients(public []string) ([]age.Recipient, error) {
	if len(public) == 0 {
		return nil, errors.New("give at least one public key to encrypt for")
	}
	var all []age.Recipient
	for _, key := range public {
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(key)), "AGE-SECRET-KEY-") {
			return nil, errors.New("that is a private key; give the public key, which starts with age1")
		}
		parsed, err := age.ParseRecipients(strings.NewReader(key))
		if err != nil || len(parsed) != 1 {
			return nil, fmt.Errorf("%q is no public key such as age1…", key)
		}
		all = append(all, parsed[0])
	}
	return all, nil
}

// ReadPublic reads a file of public keys, one a line. Empty lines and those that start with # are
// ignored.
func ReadPublic(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the public keys: %w", err)
	}
	var public []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			public = append(public, line)
		}
	}
	if _, err := recipients(public); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return public, nil
}

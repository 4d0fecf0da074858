package secretfile

import (
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"kinit/engine/secret"
)

// Readers are those who can decrypt a file: the owners of public keys, or else anyone who knows the
// passphrase.
type Readers struct {
	Public     []string // public keys such as age1…
	Passphrase secret.Value
}

// recipients returns the readers in age's form. With a passphrase, age allows no
// other readers.
func (r Readers) recipients() ([]age.Recipient, error) {
	switch {
	case r.Passphrase == "":
		return recipients(r.Public)
	case len(r.Public) > 0:
		return nil, errors.New("give public keys or a passphrase, not both")
	}
	recipient, err := age.NewScryptRecipient(r.Passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("encrypt with a passphrase: %w", err)
	}
	return []age.Recipient{recipient}, nil
}

// Check reports who of the readers cannot be one.
func (r Readers) Check() error {
	_, err := r.recipients()
	return err
}

// Encrypt returns a writer that encrypts whatever its size is, in the form of age without armor. The
// file is complete only when Close has returned without an error.
func (r Readers) Encrypt(to io.Writer) (io.WriteCloser, error) {
	recipients, err := r.recipients()
	if err != nil {
		return nil, err
	}
	plain, err := age.Encrypt(to, recipients...)
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	return plain, nil
}

// Passphrase returns the keys of files that are encrypted with a passphrase.
func Passphrase(value secret.Value) (*Keys, error) {
	identity, err := age.NewScryptIdentity(value.Reveal())
	if err != nil {
		return nil, fmt.Errorf("decrypt with a passphrase: %w", err)
	}
	return &Keys{file: "the passphrase", identities: []age.Identity{identity}}, nil
}

// Reader decrypts what Readers.Encrypt has written. A text that was changed or cut is an error where
// it is read, at the latest instead of its end.
func (k *Keys) Reader(from io.Reader) (io.Reader, error) {
	plain, err := age.Decrypt(from, k.identities...)
	if err == nil {
		return plain, nil
	}
	if wrong, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		if len(k.public) == 0 {
			return nil, fmt.Errorf("%w: it is for keys, or has another passphrase", ErrNoKey)
		}
		if len(wrong.StanzaTypes) == 1 && wrong.StanzaTypes[0] == "scrypt" {
			return nil, fmt.Errorf("%w: it is encrypted with a passphrase", ErrNoKey)
		}
		return nil, k.reason(err)
	}
	return nil, fmt.Errorf("%w: %w", ErrNotEncrypted, err)
}

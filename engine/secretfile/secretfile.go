// Package secretfile keeps secrets in files: it encrypts for some keys, and decrypts with one
// of them. The form is age's, age-encryption.org/v1, so that the age program and kinit read each
// other's files. Values in readable files are armored as in RFC 7468; files of any size are not.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
	"filippo.io/age/armor"

	"kinit/engine/secret"
)

// The ways in which a text cannot be decrypted.
var (
	// ErrNotEncrypted: the text does not have the form that Encrypt writes.
	ErrNotEncrypted = errors.New("not an encrypted value")
	// ErrNoKey: the text was encrypted for other keys.
	ErrNoKey = errors.New("encrypted for other keys")
)

// largest is the most, in bytes, that a value may have.
const largest = 1 << 20

// Encrypt encrypts a text for the owners of public keys such as age1…, at least
// one. Every call gives another text. It ends with a line end.
func Encrypt(value secret.Value, public ...string) (string, error) {
	var text strings.Builder
	armored := armor.NewWriter(&text)
	plain, err := Readers{Public: public}.Encrypt(armored)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(plain, value.Reveal())
	if err := errors.Join(err, plain.Close(), armored.Close()); err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	return text.String(), nil
}

// Decrypt returns the text that was encrypted. It ignores blanks around the lines, as in an
// indented heredoc. The error wraps ErrNotEncrypted or ErrNoKey if that is the reason.
func (k *Keys) Decrypt(text string) (secret.Value, error) {
	if !IsEncrypted(text) {
		return "", fmt.Errorf("%w: the text does not start with %q", ErrNotEncrypted, armor.Header)
	}
	plain, err := age.Decrypt(armor.NewReader(strings.NewReader(trimmed(text))), k.identities...)
	if err != nil {
		return "", k.reason(err)
	}
	value, err := io.ReadAll(io.LimitReader(plain, largest+1))
	switch {
	case err != nil:
		return "", k.reason(err)
	case len(value) > largest:
		return "", fmt.Errorf("the value has more than %d bytes", largest)
	case !utf8.Valid(value):
		return "", errors.New("the value is no text in UTF-8")
	}
	return secret.Value(value), nil
}

// IsEncrypted reports whether a text looks like one that Encrypt wrote.
func IsEncrypted(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), armor.Header)
}

// reason returns why a text cannot be decrypted.
func (k *Keys) reason(err error) error {
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return fmt.Errorf("%w, not for %s (%s)", ErrNoKey, strings.Join(k.public, " or "), k.file)
	}
	if _, ok := errors.AsType[*armor.Error](err); ok {
		return fmt.Errorf("%w: %w", ErrNotEncrypted, err)
	}
	return fmt.Errorf("the encrypted value is damaged: %w", err)
}

// trimmed is a text without blanks around its lines.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// Package vault decrypts what Ansible Vault has encrypted: whole files and single values, in the formats 1.1 and 1.2.
package vault

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kinit/engine/secret"
)

// Identity is a password and its label.
type Identity struct {
	Label    string // of --vault-id; "default" without one
	Password func(ctx context.Context) (secret.Value, error)
}

// Keys decrypt with the passwords of identities, each of which is read once, when something is to decrypt.
type Keys struct {
	identities []Identity

	mu    sync.Mutex
	known map[int]answer
}

type answer struct {
	password secret.Value
	err      error
}

// New returns the keys of identities, nil without any.
func New(identities []Identity) *Keys {
	if len(identities) == 0 {
		return nil
	}
	return &Keys{identities: identities, known: map[int]answer{}}
}

// ErrNoPassword is the error if there is no password to decrypt with.
var ErrNoPassword = errors.New("no password was given")

// Decrypt returns the plain text. The identity with the label of the text is tried first, then the others.
func (k *Keys) Decrypt(ctx context.Context, text string) (string, error) {
	if k == nil {
		return "", ErrNoPassword
	}
	e, err := parse(text)
	if err != nil {
		return "", err
	}
	order := make([]int, len(k.identities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return k.rank(a, e.label) - k.rank(b, e.label) })
	var failed error
	for _, i := range order {
		password, err := k.password(ctx, i)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("the password of %s: %w", k.identities[i].Label, err))
			continue
		}
		if plain, ok := e.open(password); ok {
			return plain, nil
		}
	}
	if failed != nil {
		return "", failed
	}
	return "", fmt.Errorf("none of the passwords (%s) opens it", strings.Join(k.labels(), ", "))
}

func (k *Keys) rank(i int, label string) int {
	if label != "" && k.identities[i].Label == label {
		return 0
	}
	return 1
}

func (k *Keys) labels() []string {
	var all []string
	for _, id := range k.identities {
		all = append(all, id.Label)
	}
	return all
}

func (k *Keys) password(ctx context.Context, i int) (secret.Value, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.known[i]; ok {
		return known.password, known.err
	}
	password, err := k.identities[i].Password(ctx)
	k.known[i] = answer{password, err}
	return password, err
}

// Encrypted reports whether a text is encrypted as a whole.
func Encrypted(text []byte) bool { return bytes.HasPrefix(text, []byte("$ANSIBLE_VAULT;")) }

// envelope is an encrypted text.
type envelope struct {
	label            string
	salt, mac, bytes []byte
}

// parse reads $ANSIBLE_VAULT;VERSION;AES256[;LABEL] and the lines of hexadecimal digits behind it, which are the salt, the
// HMAC and the text, each again in hexadecimal digits.
func parse(text string) (envelope, error) {
	head, body, _ := strings.Cut(strings.TrimSpace(text), "\n")
	parts := strings.Split(strings.TrimSpace(head), ";")
	if parts[0] != "$ANSIBLE_VAULT" || len(parts) < 3 {
		return envelope{}, errors.New("it does not begin with $ANSIBLE_VAULT;1.1;AES256")
	}
	if version := parts[1]; version != "1.1" && version != "1.2" || parts[2] != "AES256" {
		return envelope{}, fmt.Errorf("it has the format %s with %s, and kinit decrypts 1.1 and 1.2 with AES256", parts[1], parts[2])
	}
	e := envelope{}
	if len(parts) > 3 {
		e.label = parts[3]
	}
	inner, err := hex.DecodeString(strings.Join(strings.Fields(body), ""))
	if err != nil {
		return e, errors.New("it is damaged: it has other characters than hexadecimal digits")
	}
	fields := bytes.Split(inner, []byte("\n"))
	if len(fields) != 3 {
		return e, errors.New("it is damaged: a part of it is missing")
	}
	for i, into := range []*[]byte{&e.salt, &e.mac, &e.bytes} {
		if *into, err = hex.DecodeString(string(fields[i])); err != nil {
			return e, errors.New("it is damaged: it has other characters than hexadecimal digits")
		}
	}
	return e, nil
}

// open decrypts with a password. It returns false if that is another one, or the text was changed.
func (e envelope) open(password secret.Value) (string, bool) {
	const keyLength, rounds = 32, 10000
	keys, err := pbkdf2.Key(sha256.New, password.Reveal(), e.salt, rounds, 2*keyLength+aes.BlockSize)
	if err != nil {
		return "", false
	}
	mac := hmac.New(sha256.New, keys[keyLength:2*keyLength])
	mac.Write(e.bytes)
	if !hmac.Equal(mac.Sum(nil), e.mac) {
		return "", false
	}
	block, err := aes.NewCipher(keys[:keyLength])
	if err != nil {
		return "", false
	}
	plain := make([]byte, len(e.bytes))
	cipher.NewCTR(block, keys[2*keyLength:]).XORKeyStream(plain, e.bytes)
	if len(plain) == 0 {
		return "", false
	}
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > aes.BlockSize || padding > len(plain) {
		return "", false
	}
	return string(plain[:len(plain)-padding]), true
}

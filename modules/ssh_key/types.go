package sshkey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"

	"golang.org/x/crypto/ssh"
)

// curves are those of ecdsa, by bits.
func curves() map[int]elliptic.Curve {
	return map[int]elliptic.Curve{256: elliptic.P256(), 384: elliptic.P384(), 521: elliptic.P521()}
}

// length is that of a new key.
func (t *Task) length() int {
	switch {
	case t.Bits != 0:
		return t.Bits
	case t.Type == "rsa":
		return 3072
	}
	return 256
}

func (t *Task) generate() (crypto.Signer, error) {
	switch t.Type {
	case "rsa":
		return rsa.GenerateKey(rand.Reader, t.length())
	case "ecdsa":
		return ecdsa.GenerateKey(curves()[t.length()], rand.Reader)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return key, err
}

// traits are the type and length of a key; the type is empty for those that kinit does not make.
func traits(key ssh.PublicKey) (kind string, bits int) {
	known, is := key.(ssh.CryptoPublicKey)
	if !is {
		return "", 0
	}
	switch key := known.CryptoPublicKey().(type) {
	case *rsa.PublicKey:
		return "rsa", key.N.BitLen()
	case *ecdsa.PublicKey:
		return "ecdsa", key.Curve.Params().BitSize
	case ed25519.PublicKey:
		return "ed25519", 256
	}
	return "", 0
}

func describe(key ssh.PublicKey) string {
	if kind, bits := traits(key); kind != "" {
		return fmt.Sprintf("type %s with %d bits", kind, bits)
	}
	return "type " + key.Type()
}

func (t *Task) wanted() string { return fmt.Sprintf("type %s with %d bits", t.Type, t.length()) }

// replaces reports whether a key of the wanted type and length replaces the private key.
func (t *Task) replaces(s state) bool {
	if !t.Replace || s.signer == nil {
		return false
	}
	kind, bits := traits(s.signer.PublicKey())
	return kind != t.Type || t.Bits != 0 && bits != t.Bits
}

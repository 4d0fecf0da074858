// Package pki makes and reads private keys and X.509 certificates, in memory.
//
// It touches no host and stores no file.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// The types of keys.
const (
	ECDSA = "ecdsa" // curve P-256
	RSA   = "rsa"   // 2048 bits
)

// rsaBits is the minimum that Kubernetes and current browsers accept.
const rsaBits = 2048

// NewKey makes a key of a type.
func NewKey(kind string) (crypto.Signer, error) {
	if kind == RSA {
		return rsa.GenerateKey(rand.Reader, rsaBits)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

// KeyType names the type of a key, or "" for a type that NewKey does not make.
func KeyType(key crypto.Signer) string {
	switch k := key.(type) {
	case *rsa.PrivateKey:
		return RSA
	case *ecdsa.PrivateKey:
		if k.Curve == elliptic.P256() {
			return ECDSA
		}
	}
	return ""
}

// EncodeKey returns the key as PEM, in PKCS #8.
func EncodeKey(key crypto.Signer) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

// EncodePublic returns a public key as PEM, in PKIX form.
func EncodePublic(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// ParseKey parses a PEM key: PKCS #8, or the older forms of RSA and EC keys. Its
// errors never contain the text.
func ParseKey(text string) (crypto.Signer, error) {
	for rest := []byte(text); ; {
		block, next := pem.Decode(rest)
		if block == nil {
			return nil, errors.New("no private key in PEM form")
		}
		switch block.Type {
		case "PRIVATE KEY":
			return parsePKCS8(block.Bytes)
		case "EC PRIVATE KEY":
			return x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			return x509.ParsePKCS1PrivateKey(block.Bytes)
		}
		rest = next // such as EC PARAMETERS, which openssl puts first
	}
}

func parsePKCS8(der []byte) (crypto.Signer, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a %T cannot sign", key)
	}
	return signer, nil
}

// Belongs reports whether the certificate is for the key.
func Belongs(cert *x509.Certificate, key crypto.Signer) bool {
	public, ok := cert.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(key.Public())
}

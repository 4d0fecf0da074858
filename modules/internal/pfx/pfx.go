// Package pfx writes a certificate and its key as PKCS #12, the only format in which
// Windows imports both together.
//
// Only this package uses a library for that format.
package pfx

import (
	"bytes"
	"crypto"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"

	"software.sslmate.com/src/go-pkcs12"

	"kinit/engine/secret"
	"kinit/modules/internal/pki"
)

// File is a certificate with its key, and the password that opens it.
type File struct {
	Content  []byte
	Password secret.Value // 32 hex digits
}

// randomBytes is more than enough for the format's salts and initial vectors.
const randomBytes = 256

// Encode encrypts a certificate and its key, both in PEM. The algorithms are PBES2
// with AES-256 and HMAC-SHA-2, which Windows reads since Server 2019.
//
// The same pair always gives the same bytes, so that files with it can be compared:
// password, salts and vectors are derived from the key (RFC 5869), which is random.
func Encode(certPEM string, keyPEM secret.Value) (File, error) {
	cert, err := pki.ParseCert(certPEM)
	if err != nil {
		return File{}, err
	}
	key, err := pki.ParseKey(keyPEM.Reveal())
	if err != nil {
		return File{}, err
	}
	if !pki.Belongs(cert, key) {
		return File{}, errors.New("the certificate is for another key")
	}
	return encode(cert, key)
}

func encode(cert *x509.Certificate, key crypto.Signer) (File, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return File{}, err
	}
	password, err := hkdf.Key(sha256.New, der, cert.Raw, "kinit pfx password", 16)
	if err != nil {
		return File{}, err
	}
	random, err := hkdf.Key(sha256.New, der, cert.Raw, "kinit pfx salts", randomBytes)
	if err != nil {
		return File{}, err
	}
	f := File{Password: secret.Value(hex.EncodeToString(password))}
	f.Content, err = pkcs12.Modern2023.WithRand(bytes.NewReader(random)).Encode(key, cert, nil, f.Password.Reveal())
	if err != nil {
		return File{}, fmt.Errorf("write PKCS #12: %w", err)
	}
	return f, nil
}

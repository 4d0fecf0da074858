package winrm

import (
	"bytes"
	"cmp"
	"crypto/sha1" // for the thumbprint that Windows shows, not for security
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"strings"

	"kinit/engine/transport"
)

// tlsConfig verifies the machine's certificate, and sends ours if there is one.
func (c Config) tlsConfig() (*tls.Config, error) {
	pinned, err := c.pinned()
	if err != nil {
		return nil, err
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12,
		// VerifyConnection verifies: a pinned certificate may have another name and any
		// dates.
		InsecureSkipVerify: true,
		VerifyConnection:   func(s tls.ConnectionState) error { return c.verifyPeer(s.PeerCertificates, pinned) },
	}
	if c.Auth != Certificate {
		return config, nil
	}
	own, err := tls.X509KeyPair([]byte(c.ClientCertificate.Reveal()), []byte(c.ClientCertificate.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("%w: the client certificate for %s: it must be PEM with the certificate and its private key: %w", transport.ErrAuth, c.Name, err)
	}
	config.Certificates = []tls.Certificate{own}
	// Windows requests the certificate by a second handshake, which TLS 1.3 does not
	// support.
	config.MaxVersion = tls.VersionTLS12
	config.Renegotiation = tls.RenegotiateOnceAsClient
	return config, nil
}

func (c Config) pinned() (*x509.Certificate, error) {
	if c.Certificate == "" {
		return nil, nil
	}
	block, rest := pem.Decode([]byte(c.Certificate))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, fmt.Errorf("%w: the certificate given for %s is not in PEM: it begins with -----BEGIN CERTIFICATE-----", transport.ErrHostKey, c.Name)
	}
	if next, _ := pem.Decode(rest); next != nil {
		return nil, fmt.Errorf("%w: more than one certificate is given for %s", transport.ErrHostKey, c.Name)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: the certificate given for %s: %w", transport.ErrHostKey, c.Name, err)
	}
	return certificate, nil
}

// verifyPeer accepts the pinned certificate itself, whatever its names and dates, since a
// machine's clock may be wrong; or one for the machine's name that the pinned one, or
// when there is none an authority this machine trusts, has signed.
func (c Config) verifyPeer(offered []*x509.Certificate, pinned *x509.Certificate) error {
	if len(offered) == 0 {
		return fmt.Errorf("%w: %s offers no certificate", transport.ErrHostKey, c.label())
	}
	if pinned != nil && bytes.Equal(offered[0].Raw, pinned.Raw) {
		return nil
	}
	if pinned != nil && !pinned.IsCA {
		return c.refuse(offered[0], "the one given for it is "+show(pinned))
	}
	options := x509.VerifyOptions{Intermediates: x509.NewCertPool()}
	for _, between := range offered[1:] {
		options.Intermediates.AddCert(between)
	}
	if pinned != nil {
		options.Roots = x509.NewCertPool()
		options.Roots.AddCert(pinned)
	}
	if err := verify(offered[0], options, c.Address, c.Name); err != nil {
		return c.refuse(offered[0], err.Error())
	}
	return nil
}

// verify accepts a certificate that is valid for one of the names.
func verify(certificate *x509.Certificate, options x509.VerifyOptions, names ...string) error {
	var first error
	for _, name := range names {
		options.DNSName = name
		_, err := certificate.Verify(options)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// refuse says what is wrong and what to do.
func (c Config) refuse(offered *x509.Certificate, why string) error {
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: offered.Raw})
	return fmt.Errorf("%w: %s offers the certificate %s, which is not accepted: %s. "+
		"Somebody may be listening, or the machine has a new certificate. Compare the thumbprint on the machine itself "+
		"(Get-ChildItem Cert:\\LocalMachine\\My); if it is right, give this as the host's certificate:\n%s",
		transport.ErrHostKey, c.label(), show(offered), why, text)
}

// show prints a certificate with the thumbprint that Windows shows, which is its
// SHA-1, and with its SHA-256.
func show(c *x509.Certificate) string {
	thumb, sum := sha1.Sum(c.Raw), sha256.Sum256(c.Raw)
	return fmt.Sprintf("%q (thumbprint %s, SHA-256 %s)", c.Subject, strings.ToUpper(hex.EncodeToString(thumb[:])), hex.EncodeToString(sum[:]))
}

package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"time"
)

// backdate is how far the start of validity is in the past, so that a machine
// with a slow clock accepts the certificate at once.
const backdate = time.Hour

// Request is the wanted properties of a certificate.
type Request struct {
	CommonName    string
	Organizations []string
	DNSNames      []string
	IPs           []net.IP
	Server        bool          // may serve TLS
	Client        bool          // may log in by TLS
	Validity      time.Duration // from now on
	Now           time.Time
}

// template has no serial number: x509.CreateCertificate makes one.
func (r Request) template() *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: r.CommonName, Organization: r.Organizations},
		NotBefore:             r.Now.Add(-backdate),
		NotAfter:              r.Now.Add(r.Validity),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
	}
}

// SelfSign returns a CA's certificate as PEM.
func SelfSign(r Request, key crypto.Signer) (string, error) {
	template := r.template()
	template.IsCA = true
	// The usages of the CAs that kubeadm makes itself.
	template.KeyUsage |= x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return sign(template, template, key.Public(), key)
}

// Issue returns a certificate for a public key, signed by a CA, as PEM.
func Issue(r Request, public crypto.PublicKey, ca *x509.Certificate, caKey crypto.Signer) (string, error) {
	template := r.template()
	template.DNSNames = r.DNSNames
	template.IPAddresses = r.IPs
	template.ExtKeyUsage = r.Usages()
	return sign(template, ca, public, caKey)
}

// Usages lists the extended usages that the request asks for.
func (r Request) Usages() []x509.ExtKeyUsage {
	var usages []x509.ExtKeyUsage
	if r.Server {
		usages = append(usages, x509.ExtKeyUsageServerAuth)
	}
	if r.Client {
		usages = append(usages, x509.ExtKeyUsageClientAuth)
	}
	return usages
}

func sign(template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) (string, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}

// ParseCert reads the first certificate of a PEM text.
func ParseCert(text string) (*x509.Certificate, error) {
	for rest := []byte(text); ; {
		block, next := pem.Decode(rest)
		if block == nil {
			return nil, errors.New("no certificate in PEM form")
		}
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
		rest = next
	}
}

// CountCerts counts the certificates in a PEM text.
func CountCerts(text string) int {
	count := 0
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			count++
		}
	}
	return count
}

// ParseIPs reads addresses.
func ParseIPs(texts []string) ([]net.IP, error) {
	ips := make([]net.IP, 0, len(texts))
	for _, text := range texts {
		ip := net.ParseIP(text)
		if ip == nil {
			return nil, fmt.Errorf("%q is no IP address", text)
		}
		ips = append(ips, ip)
	}
	return ips, nil
}

// SPKIHash is the hash of a certificate's public key in the form in which kubeadm
// pins a CA: "sha256:" and the hash of the SubjectPublicKeyInfo in hexadecimal.
func SPKIHash(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	return "sha256:" + hex.EncodeToString(sum[:])
}

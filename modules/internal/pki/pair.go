package pki

import (
	"context"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Pair is embedded in the modules that make a certificate with its key.
type Pair struct {
	// Key is the path of the private key on the host, in PEM.
	Key string `hcl:"key" path:"absolute"`
	// Cert is the path of the certificate on the host, in PEM.
	Cert string `hcl:"cert" path:"absolute"`
	// Type is the type of a new key: on the curve P-256, or of 2048 bits.
	Type string `hcl:"type,optional" enum:"ecdsa,rsa" default:"ecdsa"`
	// Owner is the user who owns both files. Default: the user that kinit logs in as.
	Owner string `hcl:"owner,optional"`
	// Group is the group of both files. Default: that user's.
	Group string `hcl:"group,optional"`
	module.Presence
}

// Found is the content of the files. A file that exists and cannot be parsed has only its
// text.
type Found struct {
	HasKey, HasCert   bool
	KeyText, CertText string
	Signer            crypto.Signer
	Certificate       *x509.Certificate
}

// Check returns the mistake in the paths, or in the days of a certificate's validity.
func (p *Pair) Check(days int) error {
	if p.Key == p.Cert {
		return errors.New("key and cert are the same path, expected two files")
	}
	if days < 1 {
		return fmt.Errorf("days is %d, expected at least 1", days)
	}
	return nil
}

func (p *Pair) Read(ctx context.Context, h module.Host) (f Found, err error) {
	if f.KeyText, f.HasKey, err = hostfile.Read(ctx, h, p.Key); err != nil {
		return f, err
	}
	if f.CertText, f.HasCert, err = hostfile.Read(ctx, h, p.Cert); err != nil {
		return f, err
	}
	// A text that cannot be parsed leaves nil, which the module reports.
	f.Signer, _ = ParseKey(f.KeyText)
	f.Certificate, _ = ParseCert(f.CertText)
	return f, nil
}

// Lost lists the existing files that would be replaced.
func (p *Pair) Lost(f Found, newKey bool) []string {
	var files []string
	if f.HasKey && newKey {
		files = append(files, p.Key)
	}
	if f.HasCert {
		files = append(files, p.Cert)
	}
	return files
}

// MayReplace returns an error if one of the files is not the owner's.
func MayReplace(ctx context.Context, h module.Host, files []string, reason string) error {
	for _, file := range files {
		if err := ownership.Free(ctx, h, file, reason+"; move key and certificate away, or use other paths"); err != nil {
			return err
		}
	}
	return nil
}

// WriteKey makes a new key and stores it on the host before it is used.
func (p *Pair) WriteKey(ctx context.Context, h module.Host) (crypto.Signer, error) {
	key, err := NewKey(p.Type)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	text, err := EncodeKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	h.AddSecret(secret.Value(text))
	return key, hostfile.Put(ctx, h, p.Key, text, module.Attr{Mode: 0o600, Owner: p.Owner, Group: p.Group})
}

// WriteCert writes the certificate.
func (p *Pair) WriteCert(ctx context.Context, h module.Host, text string) error {
	return hostfile.Put(ctx, h, p.Cert, text, module.Attr{Mode: 0o644, Owner: p.Owner, Group: p.Group})
}

// PlanAbsent returns one step for each file.
func (p *Pair) PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	return hostfile.PlanDrop(ctx, h, "remove it by hand if it is not needed", p.Key, p.Cert)
}

// KeyMisfit returns why a new key is needed, or nothing.
func (p *Pair) KeyMisfit(f Found) string {
	switch {
	case !f.HasKey:
		return "the key is missing"
	case f.Signer == nil:
		return "the key cannot be read"
	case KeyType(f.Signer) != p.Type:
		return "the key is not of type " + p.Type
	}
	return ""
}

// Package x509ca is the module x509_ca: a certificate authority, a key and a
// self-signed certificate on the host.
//
// It issues no certificates; x509_certificate does.
package x509ca

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/pki"
)

// Task is a certificate authority: a key and a self-signed certificate. An existing key
// is kept, and so is a matching certificate, so that issued certificates
// stay valid.
//
// Errors:
//   - a file at key or cert is not a key or certificate that kinit can read
//   - key and cert are the same path
type Task struct {
	pki.Pair
	// CN is the common name of the authority.
	CN string `hcl:"cn" nonempty:"expected the name of the authority"`
	// Org is the organization of the authority. Default none.
	Org string `hcl:"org,optional"`
	// Days is the validity of a new certificate in days.
	Days int `hcl:"days,optional" default:"3650"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "x509_ca"})
}

func (t *Task) Validate() error {
	return t.Check(t.Days)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.PlanAbsent(ctx, h)
	}
	s, err := t.Read(ctx, h)
	if err != nil {
		return nil, err
	}
	d := decide(t, s, time.Now())
	if d.reason == "" {
		return nil, nil
	}
	if d.replaces {
		if err := pki.MayReplace(ctx, h, t.Lost(s, true), d.reason); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("make certificate authority %s: %s", t.Cert, d.reason)
	return module.OneStep(text, t.make), nil
}

// make reads again and does what is still needed, so that it can be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	s, err := t.Read(ctx, h)
	if err != nil {
		return err
	}
	now := time.Now()
	d := decide(t, s, now)
	if d.reason == "" {
		return nil
	}
	key := s.Signer
	if d.newKey {
		if key, err = t.WriteKey(ctx, h); err != nil {
			return err
		}
	}
	text, err := pki.SelfSign(t.request(now), key)
	if err != nil {
		return fmt.Errorf("sign %s: %w", t.Cert, err)
	}
	return t.WriteCert(ctx, h, text)
}

func (t *Task) request(now time.Time) pki.Request {
	r := pki.Request{CommonName: t.CN, Now: now, Validity: time.Duration(t.Days) * 24 * time.Hour}
	if t.Org != "" {
		r.Organizations = []string{t.Org}
	}
	return r
}

type Outputs struct {
	Key          string       `cty:"key" arg:"key,content"`   // path of the key
	Cert         string       `cty:"cert" arg:"cert,content"` // path of the certificate
	KeyPEM       secret.Value `cty:"key_pem"`                 // the key; secret
	CertPEM      string       `cty:"cert_pem"`                // the certificate
	PublicKeyPEM string       `cty:"public_key_pem"`          // the public key
	SPKIHash     string       `cty:"spki_hash"`               // hash of the public key in kubeadm's format, "sha256:…"
	NotAfter     string       `cty:"not_after"`               // end of the certificate in RFC 3339
}

// Outputs reads both files and registers the key as a secret.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.Read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	values := Outputs{Key: t.Key, Cert: t.Cert}
	if s.Signer == nil || s.Certificate == nil {
		return values, nil
	}
	public, err := pki.EncodePublic(s.Signer.Public())
	if err != nil {
		return Outputs{}, fmt.Errorf("encode the public key: %w", err)
	}
	h.AddSecret(secret.Value(s.KeyText))
	values.PublicKeyPEM, values.KeyPEM, values.CertPEM = public, secret.Value(s.KeyText), s.CertText
	values.SPKIHash, values.NotAfter = pki.SPKIHash(s.Certificate), s.Certificate.NotAfter.UTC().Format(time.RFC3339)
	return values, nil
}

// decision describes the change. An empty reason means none.
type decision struct {
	reason   string
	newKey   bool
	replaces bool // it replaces an existing file
}

// decide compares the arguments with the files.
func decide(t *Task, s pki.Found, now time.Time) decision {
	switch keyReason := t.KeyMisfit(s); {
	case !s.HasKey && !s.HasCert:
		return decision{reason: "new", newKey: true}
	case keyReason != "":
		return decision{reason: keyReason, newKey: true, replaces: true}
	case !s.HasCert:
		return decision{reason: "the certificate is missing"}
	}
	return decision{reason: t.misfit(s, now), replaces: true}
}

func (t *Task) misfit(s pki.Found, now time.Time) string {
	r := t.request(now)
	switch {
	case s.Certificate == nil:
		return "the certificate cannot be read"
	case !pki.Belongs(s.Certificate, s.Signer):
		return "the certificate is for another key"
	case !s.Certificate.IsCA:
		return "the certificate is not that of an authority"
	case s.Certificate.Subject.CommonName != r.CommonName, !slices.Equal(s.Certificate.Subject.Organization, r.Organizations):
		return "the subject is another"
	case now.After(s.Certificate.NotAfter):
		return "the certificate has expired"
	}
	return ""
}

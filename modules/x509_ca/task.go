// Package x509ca is the module x509_ca: a certificate authority, a key and a
// self-signed certificate on the host.
//
// It issues no certificates; x509_certificate does.
package x509ca

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
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
	// Key is the path of the private key on the host, in PEM.
	Key string `hcl:"key"`
	// Cert is the path of the certificate on the host, in PEM.
	Cert string `hcl:"cert"`
	// CN is the common name of the authority.
	CN string `hcl:"cn"`
	// Org is the organization of the authority. Default none.
	Org string `hcl:"org,optional"`
	// Type is the type of a new key: "ecdsa" (P-256, the default) or "rsa" (2048 bits).
	Type string `hcl:"type,optional" default:"ecdsa"`
	// Days is the validity of a new certificate in days. Default 3650.
	Days int `hcl:"days,optional" default:"3650"`
	// Owner is the user who owns both files. Default: the user that kinit logs in as.
	Owner string `hcl:"owner,optional"`
	// Group is the group of both files. Default: that user's.
	Group string `hcl:"group,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`
}

// Kind is the module.
func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "x509_ca"})
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	switch {
	case !path.IsAbs(t.Key):
		return fmt.Errorf("key is %q, expected an absolute path", t.Key)
	case !path.IsAbs(t.Cert):
		return fmt.Errorf("cert is %q, expected an absolute path", t.Cert)
	case t.Key == t.Cert:
		return errors.New("key and cert are the same path, expected two files")
	case t.CN == "":
		return errors.New("cn is empty, expected the name of the authority")
	case t.Days < 1:
		return fmt.Errorf("days is %d, expected at least 1", t.Days)
	}
	return pki.CheckType(t.Type)
}

// Plan compares what is on the host with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.absent(ctx, h, s)
	}
	d := decide(t, s, time.Now())
	if d.reason == "" {
		return nil, nil
	}
	if d.replaces {
		if err := t.mayReplace(ctx, h, s, d.reason+"; move key and certificate away, or use other paths"); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("make certificate authority %s: %s", t.Cert, d.reason)
	return module.OneStep(text, t.make), nil
}

// make reads again and does what is still needed, so that it can be repeated.
func (t *Task) make(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	now := time.Now()
	d := decide(t, s, now)
	if d.reason == "" {
		return nil
	}
	key := s.key
	if d.newKey {
		if key, err = t.writeKey(ctx, h); err != nil {
			return err
		}
	}
	text, err := pki.SelfSign(t.request(now), key)
	if err != nil {
		return fmt.Errorf("sign %s: %w", t.Cert, err)
	}
	return hostfile.Put(ctx, h, t.Cert, text, module.Attr{Mode: 0o644, Owner: t.Owner, Group: t.Group})
}

func (t *Task) request(now time.Time) pki.Request {
	r := pki.Request{CommonName: t.CN, Now: now, Validity: time.Duration(t.Days) * 24 * time.Hour}
	if t.Org != "" {
		r.Organizations = []string{t.Org}
	}
	return r
}

// Outputs are the values that other tasks can read.
type Outputs struct {
	Key          string       `cty:"key"`            // path of the key
	Cert         string       `cty:"cert"`           // path of the certificate
	KeyPEM       secret.Value `cty:"key_pem"`        // the key; secret
	CertPEM      string       `cty:"cert_pem"`       // the certificate
	PublicKeyPEM string       `cty:"public_key_pem"` // the public key
	SPKIHash     string       `cty:"spki_hash"`      // hash of the public key in kubeadm's format, "sha256:…"
	NotAfter     string       `cty:"not_after"`      // end of the certificate in RFC 3339
}

// Outputs reads both files and registers the key as a secret.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	values := Outputs{Key: t.Key, Cert: t.Cert}
	if s.key == nil || s.cert == nil {
		return values, nil
	}
	public, err := pki.EncodePublic(s.key.Public())
	if err != nil {
		return Outputs{}, fmt.Errorf("encode the public key: %w", err)
	}
	h.AddSecret(secret.Value(s.keyText))
	values.PublicKeyPEM, values.KeyPEM, values.CertPEM = public, secret.Value(s.keyText), s.certText
	values.SPKIHash, values.NotAfter = pki.SPKIHash(s.cert), s.cert.NotAfter.UTC().Format(time.RFC3339)
	return values, nil
}

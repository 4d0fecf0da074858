// Package x509ca is the module x509_ca: a certificate authority, a key and a
// self-signed certificate on the host.
//
// It issues nothing; x509_certificate does.
package x509ca

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pki"
)

// Task is a certificate authority: a key and a certificate that signs itself. A key
// that is there is kept, and so is a certificate that fits it, so that what was issued
// stays valid.
//
// Outputs:
//   - key: path of the key
//   - cert: path of the certificate
//   - key_pem: the key; secret
//   - public_key_pem: the public key
//   - cert_pem: the certificate
//   - spki_hash: hash of the public key as kubeadm pins it, "sha256:…"
//   - not_after: end of the certificate in RFC 3339
//
// Errors:
//   - a file at key or cert is no key or certificate that kinit can read
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
	Type string `hcl:"type,optional"`
	// Days is for how many days a new certificate is valid. Default 3650.
	Days int `hcl:"days,optional"`
	// Owner is the user who owns both files. Default: who kinit logs in as.
	Owner string `hcl:"owner,optional"`
	// Group is the group of both files. Default: that user's.
	Group string `hcl:"group,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "x509_ca", New: func() module.Task {
		return &Task{Type: pki.ECDSA, Days: 3650, State: "present"}
	}}
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
	case t.State != "present" && t.State != "absent":
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
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
	return []module.Step{module.NewStep(text, t.make)}, nil
}

// make reads again and does what is still needed, so that it may be repeated.
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

// SecretOutputs names the values that are secret.
func (t *Task) SecretOutputs() []string { return []string{"key_pem"} }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"key": cty.String, "cert": cty.String, "key_pem": cty.String, "cert_pem": cty.String,
		"public_key_pem": cty.String, "spki_hash": cty.String, "not_after": cty.String,
	}
}

// Outputs reads both files. The key is a secret from then on.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	values := map[string]cty.Value{
		"key": cty.StringVal(t.Key), "cert": cty.StringVal(t.Cert),
		"key_pem": cty.StringVal(""), "cert_pem": cty.StringVal(""),
		"public_key_pem": cty.StringVal(""), "spki_hash": cty.StringVal(""), "not_after": cty.StringVal(""),
	}
	if s.key == nil || s.cert == nil {
		return values, nil
	}
	public, err := pki.EncodePublic(s.key.Public())
	if err != nil {
		return nil, fmt.Errorf("encode the public key: %w", err)
	}
	h.AddSecret(secret.Value(s.keyText))
	values["public_key_pem"] = cty.StringVal(public)
	values["key_pem"] = cty.StringVal(s.keyText)
	values["cert_pem"] = cty.StringVal(s.certText)
	values["spki_hash"] = cty.StringVal(pki.SPKIHash(s.cert))
	values["not_after"] = cty.StringVal(s.cert.NotAfter.UTC().Format(time.RFC3339))
	return values, nil
}

var (
	_ module.Confidential = (*Task)(nil)
	_ module.Validator    = (*Task)(nil)
)

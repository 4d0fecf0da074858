package x509ca

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pki"
)

// state is the state of the host's files. A file that exists and cannot be parsed has its
// flag and no parsed value.
type state struct {
	hasKey, hasCert   bool
	keyText, certText string
	key               crypto.Signer
	cert              *x509.Certificate
}

// decision describes the change. An empty reason means none.
type decision struct {
	reason   string
	newKey   bool
	replaces bool // it replaces an existing file
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.keyText, s.hasKey, err = hostfile.Read(ctx, h, t.Key); err != nil {
		return s, err
	}
	if s.certText, s.hasCert, err = hostfile.Read(ctx, h, t.Cert); err != nil {
		return s, err
	}
	// A text that cannot be parsed leaves nil, which decide reports.
	s.key, _ = pki.ParseKey(s.keyText)
	s.cert, _ = pki.ParseCert(s.certText)
	return s, nil
}

// mayReplace returns an error if an existing file is not the owner's.
func (t *Task) mayReplace(ctx context.Context, h module.Host, s state, advice string) error {
	for _, file := range t.present(s) {
		if err := claim.Free(ctx, h, file, advice); err != nil {
			return err
		}
	}
	return nil
}

// present lists the existing files.
func (t *Task) present(s state) []string {
	var files []string
	if s.hasKey {
		files = append(files, t.Key)
	}
	if s.hasCert {
		files = append(files, t.Cert)
	}
	return files
}

// decide compares the arguments with the files.
func decide(t *Task, s state, now time.Time) decision {
	switch {
	case !s.hasKey && !s.hasCert:
		return decision{reason: "new", newKey: true}
	case !s.hasKey:
		return decision{reason: "the key is missing", newKey: true, replaces: true}
	case s.key == nil:
		return decision{reason: "the key cannot be read", newKey: true, replaces: true}
	case pki.KeyType(s.key) != t.Type:
		return decision{reason: "the key is not of type " + t.Type, newKey: true, replaces: true}
	case !s.hasCert:
		return decision{reason: "the certificate is missing"}
	}
	return decision{reason: t.misfit(s, now), replaces: true}
}

// misfit returns why the certificate cannot be kept.
func (t *Task) misfit(s state, now time.Time) string {
	r := t.request(now)
	switch {
	case s.cert == nil:
		return "the certificate cannot be read"
	case !pki.Belongs(s.cert, s.key):
		return "the certificate is for another key"
	case !s.cert.IsCA:
		return "the certificate is not that of an authority"
	case s.cert.Subject.CommonName != r.CommonName, !slices.Equal(s.cert.Subject.Organization, r.Organizations):
		return "the subject is another"
	case now.After(s.cert.NotAfter):
		return "the certificate has expired"
	}
	return ""
}

// writeKey makes a new key and stores it on the host before it is used.
func (t *Task) writeKey(ctx context.Context, h module.Host) (crypto.Signer, error) {
	key, err := pki.NewKey(t.Type)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	text, err := pki.EncodeKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	h.AddSecret(secret.Value(text))
	return key, hostfile.Put(ctx, h, t.Key, text, module.Attr{Mode: 0o600, Owner: t.Owner, Group: t.Group})
}

// absent removes both files.
func (t *Task) absent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	if err := t.mayReplace(ctx, h, s, "remove it by hand if it is not needed"); err != nil {
		return nil, err
	}
	var steps []module.Step
	for _, file := range t.present(s) {
		steps = append(steps, module.NewStep("remove "+file, func(ctx context.Context, h module.Host) error {
			return hostfile.Drop(ctx, h, file)
		}))
	}
	return steps, nil
}

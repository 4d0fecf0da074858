package x509cert

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pki"
)

// state is the state of the host's files. A file that exists and cannot be parsed has only
// its text.
type state struct {
	hasKey, hasCert   bool
	keyText, certText string
	key               crypto.Signer
	cert              *x509.Certificate
	caText            string            // of the authority's certificate
	ca                *x509.Certificate // nil if the authority does not exist yet
}

// Plan compares what is on the host with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.remove(ctx, h, s)
	}
	keyReason, certReason, err := t.decide(s, time.Now())
	if err != nil || certReason == "" {
		return nil, err
	}
	lost := t.lost(s, keyReason != "")
	if err := mayReplace(ctx, h, lost, certReason+"; move key and certificate away, or use other paths"); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("issue certificate %s: %s", t.Cert, certReason)
	if keyReason != "" {
		text += ", with a new key"
	}
	return module.OneStep(text, t.issue), nil
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
	s.caText = t.CACertPEM
	if s.caText == "" && t.CACert != "" {
		if s.caText, _, err = hostfile.Read(ctx, h, t.CACert); err != nil {
			return s, err
		}
	}
	// What cannot be parsed leaves nil, which decide reports.
	s.key, _ = pki.ParseKey(s.keyText)
	s.cert, _ = pki.ParseCert(s.certText)
	s.ca, _ = pki.ParseCert(s.caText)
	return s, nil
}

// decide returns why a new key is needed and why a certificate is; both are empty
// if there is nothing to do.
func (t *Task) decide(s state, now time.Time) (keyReason, certReason string, err error) {
	r, err := t.request(now)
	if err != nil {
		return "", "", err
	}
	before, err := t.renewBefore()
	if err != nil {
		return "", "", err
	}
	keyReason = t.keyMisfit(s)
	switch {
	case !s.hasCert:
		return keyReason, "new", nil
	case keyReason != "":
		return keyReason, keyReason, nil
	case s.cert == nil:
		return "", "it cannot be read", nil
	case !pki.Belongs(s.cert, s.key):
		return "", "it is for another key", nil
	case s.ca == nil || s.cert.CheckSignatureFrom(s.ca) != nil:
		return "", "it is from another authority", nil
	case t.Chain != (pki.CountCerts(s.certText) > 1):
		return "", "the chain is another", nil
	}
	return "", misfit(s.cert, r, now.Add(before)), nil
}

func (t *Task) keyMisfit(s state) string {
	switch {
	case !s.hasKey:
		return "the key is missing"
	case s.key == nil:
		return "the key cannot be read"
	case pki.KeyType(s.key) != t.Type:
		return "the key is not of type " + t.Type
	}
	return ""
}

// misfit describes how a certificate differs from the request, or that it ends before
// a time.
func misfit(cert *x509.Certificate, r pki.Request, end time.Time) string {
	switch {
	case cert.Subject.CommonName != r.CommonName, !sameTexts(cert.Subject.Organization, r.Organizations):
		return "the subject is another"
	case !sameTexts(cert.DNSNames, r.DNSNames), !sameTexts(ipTexts(cert.IPAddresses), ipTexts(r.IPs)):
		return "the names or addresses are others"
	case !slices.Equal(cert.ExtKeyUsage, r.Usages()):
		return "the usages are others"
	case cert.NotAfter.Before(end):
		return "it ends " + cert.NotAfter.UTC().Format(time.RFC3339)
	}
	return ""
}

// sameTexts compares without order.
func sameTexts(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func ipTexts(ips []net.IP) []string {
	texts := make([]string, len(ips))
	for i, ip := range ips {
		texts[i] = ip.String()
	}
	return texts
}

// issue reads again and does what is still needed, so that it can be repeated.
func (t *Task) issue(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	now := time.Now()
	keyReason, certReason, err := t.decide(s, now)
	if err != nil || certReason == "" {
		return err
	}
	caKey, err := t.authority(ctx, h, s)
	if err != nil {
		return err
	}
	key := s.key
	if keyReason != "" {
		if key, err = t.writeKey(ctx, h); err != nil {
			return err
		}
	}
	r, err := t.request(now)
	if err != nil {
		return err
	}
	text, err := pki.Issue(r, key.Public(), s.ca, caKey)
	if err != nil {
		return fmt.Errorf("issue %s: %w", t.Cert, err)
	}
	if t.Chain {
		text += s.caText
	}
	return hostfile.Put(ctx, h, t.Cert, text, module.Attr{Mode: 0o644, Owner: t.Owner, Group: t.Group})
}

// authority reads the authority's key and checks that it fits its certificate.
func (t *Task) authority(ctx context.Context, h module.Host, s state) (crypto.Signer, error) {
	text, where := t.CAKeyPEM.Reveal(), "ca_key_pem"
	if text == "" {
		var err error
		where = t.CAKey
		if text, _, err = hostfile.Read(ctx, h, t.CAKey); err != nil {
			return nil, err
		}
	}
	key, err := pki.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("read the authority's key from %s: %w", where, err)
	}
	if s.ca == nil {
		return nil, fmt.Errorf("read the authority's certificate: none at %s", t.CACert)
	}
	if !pki.Belongs(s.ca, key) {
		return nil, fmt.Errorf("the authority's key from %s does not belong to its certificate", where)
	}
	return key, nil
}

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

// lost lists the existing files that would be replaced.
func (t *Task) lost(s state, newKey bool) []string {
	var files []string
	if s.hasKey && newKey {
		files = append(files, t.Key)
	}
	if s.hasCert {
		files = append(files, t.Cert)
	}
	return files
}

// mayReplace returns an error if one of the files is not the owner's.
func mayReplace(ctx context.Context, h module.Host, files []string, advice string) error {
	for _, file := range files {
		if err := claim.Free(ctx, h, file, advice); err != nil {
			return err
		}
	}
	return nil
}

package x509cert

import (
	"context"
	"crypto"
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/pki"
)

// state is the state of the host's files.
type state struct {
	pki.Found
	caText string            // of the authority's certificate
	ca     *x509.Certificate // nil if the authority does not exist yet
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.PlanAbsent(ctx, h)
	}
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	keyReason, certReason, err := t.decide(s, time.Now())
	if err != nil || certReason == "" {
		return nil, err
	}
	if err := pki.MayReplace(ctx, h, t.Lost(s.Found, keyReason != ""), certReason); err != nil {
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
	if s.Found, err = t.Read(ctx, h); err != nil {
		return s, err
	}
	s.caText = t.CACertPEM
	if s.caText == "" && t.CACert != "" {
		if s.caText, _, err = hostfile.Read(ctx, h, t.CACert); err != nil {
			return s, err
		}
	}
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
	keyReason = t.KeyMisfit(s.Found)
	switch {
	case !s.HasCert:
		return keyReason, "new", nil
	case keyReason != "":
		return keyReason, keyReason, nil
	case s.Certificate == nil:
		return "", "it cannot be read", nil
	case !pki.Belongs(s.Certificate, s.Signer):
		return "", "it is for another key", nil
	case s.ca == nil || s.Certificate.CheckSignatureFrom(s.ca) != nil:
		return "", "it is from another authority", nil
	case t.Chain != (pki.CountCerts(s.CertText) > 1):
		return "", "the chain is another", nil
	}
	return "", misfit(s.Certificate, r, now.Add(before)), nil
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
	return lists.Map(ips, net.IP.String)
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
	key := s.Signer
	if keyReason != "" {
		if key, err = t.WriteKey(ctx, h); err != nil {
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
	return t.WriteCert(ctx, h, text)
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

// Package x509cert is the module x509_certificate: a key and a certificate that
// an authority issued, on the host.
package x509cert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/pki"
)

// Task is a certificate of an authority, which is issued again before it ends. Its key is
// kept.
//
// Errors:
//   - the authority's key or certificate is missing, or they do not match
//   - ip_addresses contains other texts than addresses, or usages other words than "server"
//     and "client"
//   - renew_before is longer than days
type Task struct {
	pki.Pair
	// CACert is the path of the authority's certificate on the same host.
	CACert string `hcl:"ca_cert,optional"`
	// CAKey is the path of the authority's key on the same host.
	CAKey string `hcl:"ca_key,optional"`
	// CACertPEM is the authority's certificate itself, instead of ca_cert.
	CACertPEM string `hcl:"ca_cert_pem,optional"`
	// CAKeyPEM is the authority's key itself, instead of ca_key.
	CAKeyPEM secret.Value `hcl:"ca_key_pem,optional"`
	// CN is the common name.
	CN string `hcl:"cn"`
	// Organizations are the subject's organizations; Kubernetes reads them as groups. Default none.
	Organizations []string `hcl:"organizations,optional"`
	// DNSNames are the certificate's names. Default none.
	DNSNames []string `hcl:"dns_names,optional"`
	// IPAddresses are the certificate's addresses. Default none.
	IPAddresses []string `hcl:"ip_addresses,optional"`
	// Usages are what the certificate is for.
	Usages []string `hcl:"usages,optional" enum:"server,client" default:"server"`
	// Days is its validity in days.
	Days int `hcl:"days,optional" default:"365"`
	// RenewBefore is how long before its end it is issued again, such as "720h". Default a third of its validity.
	RenewBefore string `hcl:"renew_before,optional"`
	// Chain adds the authority's certificate to the file, for servers that send both.
	Chain bool `hcl:"chain,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "x509_certificate"})
}

func (t *Task) Validate() error {
	if err := t.Check(t.Days); err != nil || t.Absent() {
		return err
	}
	paths, values := t.CACert != "" && t.CAKey != "", t.CACertPEM != "" && t.CAKeyPEM != ""
	if paths == values {
		return errors.New("expected either ca_cert and ca_key (paths) or ca_cert_pem and ca_key_pem (values)")
	}
	if _, err := t.request(time.Time{}); err != nil {
		return err
	}
	_, err := t.renewBefore()
	return err
}

// renewBefore returns the duration of that argument, which is shorter than the validity.
func (t *Task) renewBefore() (time.Duration, error) {
	if t.RenewBefore == "" {
		return t.validity() / 3, nil
	}
	before, err := time.ParseDuration(t.RenewBefore)
	if err != nil {
		return 0, fmt.Errorf("renew_before is %q, expected a duration such as \"720h\"", t.RenewBefore)
	}
	if before >= t.validity() {
		return 0, fmt.Errorf("renew_before is %s, expected less than the %d days of days", t.RenewBefore, t.Days)
	}
	return before, nil
}

func (t *Task) validity() time.Duration { return time.Duration(t.Days) * 24 * time.Hour }

func (t *Task) request(now time.Time) (pki.Request, error) {
	ips, err := pki.ParseIPs(t.IPAddresses)
	if err != nil {
		return pki.Request{}, fmt.Errorf("ip_addresses: %w", err)
	}
	return pki.Request{
		CommonName: t.CN, Organizations: t.Organizations, DNSNames: t.DNSNames, IPs: ips,
		Server: slices.Contains(t.Usages, "server"), Client: slices.Contains(t.Usages, "client"),
		Validity: t.validity(), Now: now,
	}, nil
}

type Outputs struct {
	Key      string       `cty:"key" arg:"key,content"`   // path of the key
	Cert     string       `cty:"cert" arg:"cert,content"` // path of the certificate
	KeyPEM   secret.Value `cty:"key_pem"`                 // the key; secret
	CertPEM  string       `cty:"cert_pem"`                // the certificate
	NotAfter string       `cty:"not_after"`               // end of the certificate in RFC 3339
}

// Outputs reads both files and registers the key as a secret.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	values := Outputs{Key: t.Key, Cert: t.Cert, KeyPEM: secret.Value(s.KeyText), CertPEM: s.CertText}
	h.AddSecret(secret.Value(s.KeyText))
	if s.Certificate != nil {
		values.NotAfter = s.Certificate.NotAfter.UTC().Format(time.RFC3339)
	}
	return values, nil
}

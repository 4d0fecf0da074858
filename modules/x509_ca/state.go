package x509ca

import (
	"slices"
	"time"

	"kinit/modules/internal/pki"
)

// decision describes the change. An empty reason means none.
type decision struct {
	reason   string
	newKey   bool
	replaces bool // it replaces an existing file
}

// decide compares the arguments with the files.
func decide(t *Task, s pki.Found, now time.Time) decision {
	switch {
	case !s.HasKey && !s.HasCert:
		return decision{reason: "new", newKey: true}
	case !s.HasKey:
		return decision{reason: "the key is missing", newKey: true, replaces: true}
	case s.Signer == nil:
		return decision{reason: "the key cannot be read", newKey: true, replaces: true}
	case pki.KeyType(s.Signer) != t.Type:
		return decision{reason: "the key is not of type " + t.Type, newKey: true, replaces: true}
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

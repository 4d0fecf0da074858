// Package x509facts is the module x509_facts: the certificates in files of a host. It never
// changes anything, and no key leaves the host.
package x509facts

import (
	"context"
	"fmt"
	"path"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/certfile"
)

// Task reads the certificates in files of a host, and changes nothing.
//
// The files are PEM files, with keys in them or not, and kubeconfigs, of which it reads the
// client's certificate. Only certificates leave the host. A file that is not there has none.
//
// Errors:
//   - a file cannot be read, or what it has for a certificate is none
type Task struct {
	// Paths are the files, as globs such as "/etc/kubernetes/pki/*.crt".
	Paths []string `hcl:"paths" nonempty:"want at least one path"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "x509_facts", Reads: true})
}

func (t *Task) Validate() error {
	for _, p := range t.Paths {
		if !path.IsAbs(p) {
			return fmt.Errorf("paths has %q, expected an absolute path", p)
		}
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

// Certificate is one certificate of a file.
type Certificate struct {
	Path      string `cty:"path"`
	Subject   string `cty:"subject"`   // such as "CN=kinit-admin,O=system:masters"
	Issuer    string `cty:"issuer"`    // the subject of who signed it
	Authority bool   `cty:"authority"` // whether it signs others
	NotBefore string `cty:"not_before"`
	NotAfter  string `cty:"not_after"`
}

type Outputs struct {
	// the certificates, in the order of paths; an authority signs others, and not_before and
	// not_after are in RFC 3339
	Certificates []Certificate `cty:"certificates"`
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	found, err := certfile.Read(ctx, h, t.Paths...)
	return Outputs{Certificates: lists.Map(found, func(c certfile.Certificate) Certificate {
		return Certificate{
			Path: c.Path, Subject: c.Subject, Issuer: c.Issuer, Authority: c.Authority,
			NotBefore: c.NotBefore.UTC().Format(time.RFC3339), NotAfter: c.NotAfter.UTC().Format(time.RFC3339),
		}
	})}, err
}

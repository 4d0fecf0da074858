package items

import (
	"context"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// ownStore is the store of certificates that is modelled.
const ownStore = `LocalMachine\My`

// Certificate is a certificate of the machine as an object.
func Certificate(c machine.StoredCertificate) *value.Object {
	o := value.NewObject("System.Security.Cryptography.X509Certificates.X509Certificate2", value.P("Thumbprint", c.Thumbprint), value.P("Subject", c.Subject),
		value.P("HasPrivateKey", len(c.KeyPEM) > 0), value.P("PSPath", `Microsoft.PowerShell.Security\Certificate::`+ownStore+`\`+c.Thumbprint))
	o.Text = func() string { return c.Subject }
	return o
}

func (i module) hasCertificate(thumbprint string) bool {
	return slices.ContainsFunc(i.m.Certificates(), func(c machine.StoredCertificate) bool {
		return strings.EqualFold(c.Thumbprint, thumbprint) && len(c.KeyPEM) > 0
	})
}

// inStore is what a path names in the store, empty for the store itself.
func inStore(path string) (string, error) {
	rest, ok := strings.CutPrefix(strings.ToLower(path), strings.ToLower(ownStore))
	if !ok {
		return "", unknown.New("the certificates of Cert:\\%s", path)
	}
	return strings.Trim(rest, `\`), nil
}

func (i module) certificateHas(path string) (there, container bool, _ error) {
	name, err := inStore(path)
	if err != nil || name == "" {
		return err == nil, true, err
	}
	return i.hasCertificate(name), false, nil
}

func (i module) getCertificate(ctx context.Context, c *interp.Call, l location) error {
	name, err := inStore(l.path)
	if err != nil {
		return err
	}
	for _, one := range i.m.Certificates() {
		if strings.EqualFold(one.Thumbprint, name) {
			return c.WriteObject(ctx, Certificate(one))
		}
	}
	return cmdlet.Report(ctx, c, missing(c, l.asked))
}

func (i module) certificates(ctx context.Context, c *interp.Call, l location) error {
	name, err := inStore(l.path)
	if err != nil || name != "" {
		return unknown.New("the list of Cert:\\%s", l.path)
	}
	return cmdlet.WriteEach(ctx, c, i.m.Certificates(), Certificate)
}

package plan

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// keys is a task with a map of keys and certificates.
type keys struct {
	PKI map[string]secret.Value `hcl:"pki,optional"`
}

func (*keys) Plan(context.Context, module.Host) ([]module.Step, error) { return nil, nil }

// A certificate is public, and other tasks show the same one.
func TestACertificateAmongSecretsIsNoSecret(t *testing.T) {
	t.Parallel()
	const (
		certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
		key         = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
	)
	for name, c := range map[string]struct {
		values map[string]secret.Value
		want   []string
	}{
		"a certificate":              {map[string]secret.Value{"ca.crt": certificate}, nil},
		"a chain of certificates":    {map[string]secret.Value{"ca.crt": certificate + certificate}, nil},
		"a key beside it":            {map[string]secret.Value{"ca.crt": certificate, "ca.key": key}, []string{key}},
		"a key in the same text":     {map[string]secret.Value{"both": certificate + key}, []string{certificate + key}},
		"a text after it":            {map[string]secret.Value{"both": certificate + "open sesame"}, []string{certificate + "open sesame"}},
		"a text before it":           {map[string]secret.Value{"both": "open sesame\n" + certificate}, []string{"open sesame\n" + certificate}},
		"a text that is no PEM":      {map[string]secret.Value{"token": "open sesame"}, []string{"open sesame"}},
		"a beginning without an end": {map[string]secret.Value{"half": "-----BEGIN CERTIFICATE-----\nMIIB\n"}, []string{"-----BEGIN CERTIFICATE-----\nMIIB\n"}},
	} {
		values, secrets := decode.Arguments(&keys{PKI: c.values}, decode.Sensitivity{})
		slices.Sort(secrets)
		if diff := cmp.Diff(c.want, secrets); diff != "" {
			t.Errorf("%s: secrets (-want +got):\n%s", name, diff)
		}
		for file := range c.values {
			want := []event.Value{{Name: "pki", Text: `{"` + file + `":"***"}`, Mask: len(c.want) > 0}}
			if diff := cmp.Diff(want, values); len(c.values) == 1 && diff != "" {
				t.Errorf("%s: arguments (-want +got):\n%s", name, diff)
			}
		}
	}
}

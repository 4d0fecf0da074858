package examples

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
)

func TestWhereNothingIsToBeRenewedTheErrorSaysWhy(t *testing.T) {
	t.Parallel()
	itself := func(name string) []string {
		return []string{"There is nothing to renew: " + name + " renews its certificates itself, in the last months of their life, when its service starts. " +
			"To renew them, restart that service on one server after the other, and then on the agents. Those of kinit are renewed by 'kinit run'."}
	}
	for spec, want := range map[string][]string{
		"k3s-podman-1-1-1":  itself("k3s"),
		"rke2-podman-1-1-1": itself("rke2"),
		"bare-podman-1-1-1": {"The cluster bare-podman has no Kubernetes, and so no certificates of it to renew. Those of kinit are renewed by 'kinit run'."},
		"k8s-podman-1-1-1":  nil,
		"eksd-podman-1-1-1": nil,
	} {
		o := options(t, spec)
		o.Only, o.Renew = []string{"renewal"}, true
		var errors []string
		for _, d := range engine.Validate(t.Context(), o).Diagnostics {
			if d.Warning {
				continue
			}
			errors = append(errors, d.Detail)
			if d.Subject == nil {
				t.Errorf("%s: %s has no place", spec, d.Detail)
			}
		}
		if diff := cmp.Diff(want, errors); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", spec, diff)
		}
	}
}

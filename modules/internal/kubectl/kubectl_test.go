package kubectl

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// deniedTwice is a kubectl of a cluster whose API server has just started.
const deniedTwice = `#!/bin/sh
echo asked >>"$2"
[ "$(grep -c asked "$2")" -gt 2 ] || { echo 'Error from server (Forbidden): nodes "n1" is forbidden: User "kubernetes-admin" cannot get resource "nodes"' >&2; exit 1; }
echo "$3 $4"
`

func TestACommandIsRepeatedUntilTheServerKnowsItsRoles(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	program, log := h.Path("kubectl"), h.Path("log")
	if err := os.WriteFile(program, []byte(deniedTwice), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := Client{Kubectl: program, Kubeconfig: log}.Run(t.Context(), h, "", "uncordon", "n1")
	if err != nil || out.Stdout != "uncordon n1\n" {
		t.Errorf("%q, %v", out.Stdout, err)
	}
	if asked, err := os.ReadFile(log); err != nil || strings.Count(string(asked), "asked") != 3 {
		t.Errorf("kubectl ran %d times, %v, want 3", strings.Count(string(asked), "asked"), err)
	}
}

func TestAnotherErrorIsNotRepeated(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"Error from server (Forbidden): nodes is forbidden":                              "30s",
		"Error from server (ServiceUnavailable): the server is currently not available":  "3m0s",
		`Error from server (NotFound): nodes "n1" not found`:                             "0s",
		"Unable to connect to the server: x509: certificate signed by unknown authority": "0s",
	} {
		if got := patienceWith(stderr).String(); got != want {
			t.Errorf("%s: %s, want %s", stderr, got, want)
		}
	}
}

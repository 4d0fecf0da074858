package kubectl

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/executable"
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
	executable.Write(t, program, deniedTwice)
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

// unreachable is a host whose kubectl takes a minute to find that its API server does not answer.
type unreachable struct{ module.Host }

func (unreachable) Run(ctx context.Context, _ module.Command) (module.Output, error) {
	select {
	case <-time.After(time.Minute):
		return module.Output{}, &module.ExitError{Code: 1, Stderr: "Unable to connect to the server: dial tcp: i/o timeout"}
	case <-ctx.Done():
		return module.Output{}, ctx.Err()
	}
}

func TestReadingFromASilentServerEndsWithThePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, began := unreachable{moduletest.NewFakeHost(t, "")}, time.Now()
		err := Patiently(t.Context(), h, func(ctx context.Context) error {
			for range 3 {
				var value struct{}
				if err := (Client{}).Get(ctx, h, &value, "node", "n1"); err != nil {
					return err
				}
			}
			return nil
		})
		if took := time.Since(began); took != patience {
			t.Errorf("it took %s, want %s", took, patience)
		}
		if want := "the API server gave no answer within 3m0s: get node: command ended with code 1: Unable to connect to the server"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s…", err, want)
		}
	})
}

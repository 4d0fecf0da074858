package examples

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryServiceHasAHealthCheckThatARunWaitsFor(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"k8s-podman-1-1-1", "bare-libvirt-1-1-1"} {
		o := options(t, spec)
		o.Hosts = []string{"a"}
		if got := strings.Join(evaluate(t, o, `[for name in keys(local.service_containers) : name if length(local.health_options[name]) > 0]`), " "); got != "dns haproxy registry web" {
			t.Errorf("%s: the services with a check are %s", spec, got)
		}
		o.Vars["service_health"] = `{ web = ["true", "a b"], dns = [] }`
		got := strings.Join(evaluate(t, o, `[for name in ["dns", "web"] : join(" ", slice(concat(local.health_options[name], ["", ""]), 0, 2))]`), "; ")
		if want := ` ; --health-cmd ["true","a b"]`; got != want {
			t.Errorf("%s: checks of a user's are %s, want %s", spec, got, want)
		}
	}
}

// Images have one of these programs to ask with.
func TestAServiceIsHealthyWhenItAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	for _, program := range []string{"wget", "curl", "bash"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			found, err := exec.LookPath(program)
			if err != nil {
				t.Skipf("there is no %s", program)
			}
			folder := t.TempDir()
			if err := os.Symlink(found, filepath.Join(folder, program)); err != nil {
				t.Fatal(err)
			}
			check := func(args ...string) string {
				return script(t, []string{"PATH=" + folder}, "common/files/health.sh", args...)
			}
			if got := check(port, "/healthz"); got != "" {
				t.Errorf("what answers: %s", got)
			}
			if got := check(port, "/other"); got == "" {
				t.Error("an answer that is an error counts as healthy")
			}
			if got := check("1", "/healthz"); got == "" {
				t.Error("a port that nothing listens at counts as healthy")
			}
			if program != "bash" {
				return
			}
			if got := check(port); got != "" {
				t.Errorf("a port: %s", got)
			}
			if got := check("1"); got == "" {
				t.Error("a port that nothing listens at counts as healthy without a path")
			}
		})
	}
}

package engine_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/test/exectrace"
)

// token is a value that no process may have on its command line.
const token = "Xk3-tok'en 9fQz_ZZ"

const usesToken = `
variable "token" {
  type      = string
  sensitive = true
}
task "copy" "file" {
  hosts   = run.hosts
  dest    = "TMP/copied"
  content = var.token
}
task "command" "environment" {
  hosts       = run.hosts
  argv        = ["sh", "-c", "printenv TOKEN >TMP/environment"]
  environment = { TOKEN = var.token }
}
task "command" "often" {
  for_each    = toset([for i in range(0, 20) : format("%02d", i)])
  host        = run.hosts[0]
  argv        = ["true"]
  environment = { TOKEN = var.token }
}
task "download" "url" {
  hosts  = run.hosts
  url    = "http://deploy:${replace(urlencode(var.token), "+", "%20")}@SERVER/file?token=${urlencode(var.token)}"
  sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
  dest   = "TMP/downloaded"
}
task "http_request" "asks" {
  hosts    = run.hosts
  url      = "http://SERVER/asked?token=${urlencode(var.token)}"
  method   = "POST"
  username = "deploy"
  password = var.token
  headers  = { X-Token = var.token }
  body     = var.token
}
task "line_in_file" "line" {
  hosts  = run.hosts
  path   = "TMP/line"
  line   = var.token
  create = true
}
task "command" "stdin" {
  hosts = run.hosts
  argv  = ["sh", "-c", "cat >TMP/stdin"]
  stdin = var.token
}
task "shell" "text" {
  hosts  = run.hosts
  commands = <<-END
    printf %s ${jsonencode(var.token)} >TMP/text
  END
}
task "htpasswd" "file" {
  hosts    = run.hosts
  path     = "TMP/htpasswd"
  user     = "somebody"
  password = var.token
}
`

func TestMain(m *testing.M) {
	exectrace.Enter()
	os.Exit(m.Run())
}

// TestNoProcessHasASecretOnItsCommandLine traces every program that starts while tasks that
// use a secret run: here, over SSH, with the server's own, and as another user.
func TestNoProcessHasASecretOnItsCommandLine(t *testing.T) {
	for _, over := range []string{"local", "ssh", "another user"} {
		t.Run(over, func(t *testing.T) {
			if exectrace.Inside() {
				useToken(t, over)
				return
			}
			programs := 0
			for _, e := range exectrace.Again(t) {
				if e.Kind == exectrace.Exec {
					programs++
				}
				for _, part := range []string{"Xk3-tok", "9fQz_ZZ"} {
					if slices.ContainsFunc(e.Words, func(word string) bool { return strings.Contains(word, part) }) {
						t.Errorf("a process shows the secret: %q", e.Words)
					}
				}
			}
			if programs < 20 { // the tasks "often" alone
				t.Errorf("%d programs were seen", programs)
			}
		})
	}
}

// useToken runs the playbook on a host, and checks that the secret arrives.
func useToken(t *testing.T, over string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != token || r.URL.Query().Get("token") != token {
			http.Error(w, "the secret did not arrive", http.StatusForbidden)
			return
		}
		if body, _ := io.ReadAll(r.Body); r.Method == http.MethodPost && (string(body) != token || r.Header.Get("X-Token") != token) {
			http.Error(w, "not all of the secret arrived", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	o := options(t, strings.ReplaceAll(usesToken, "SERVER", server.Listener.Addr().String()))
	o.Vars, o.Redactor = map[string]string{"token": token}, &secret.Redactor{}
	if over == "ssh" {
		far(t, &o)
	}
	if over == "another user" {
		need.Programs(t, "sudo", "sudo")
		if err := errors.Join(os.Chmod(filepath.Dir(o.Cwd), 0o777), os.Chmod(o.Cwd, 0o777)); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(o.Cwd, "inventory.hcl"), `host "self" {
  transport = "local"
  become    = "nobody"
}`)
		o.Hosts, o.Inventories = []string{"self"}, []string{"inventory.hcl"}
	}
	if text := problems(engine.Run(t.Context(), o)); text != "" {
		t.Fatal(text)
	}
	for _, name := range []string{"copied", "line"} {
		if info, err := os.Stat(filepath.Join(o.Cwd, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s is %v, %v, want mode 0600", name, info, err)
		}
	}
	for _, name := range []string{"copied", "line", "environment", "stdin", "text"} {
		if got := strings.TrimSuffix(content(t, o, name), "\n"); got != token {
			t.Errorf("%s is %q: the secret did not arrive", name, got)
		}
	}
}

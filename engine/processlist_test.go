package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/secret"
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
  argv        = ["sh", "-c", "sleep 0.5; printenv TOKEN >TMP/environment"]
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
task "command" "stdin" {
  hosts = run.hosts
  argv  = ["sh", "-c", "sleep 0.5; cat >TMP/stdin"]
  stdin = var.token
}
task "shell" "text" {
  hosts  = run.hosts
  commands = <<-END
    sleep 0.5
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

// TestNoProcessHasASecretOnItsCommandLine looks at every process of the machine all
// the time while tasks that use a secret run: here, over SSH, and as another user. Those
// that were made last it looks at without a pause, since a shell may be another program
// before one has looked at all.
func TestNoProcessHasASecretOnItsCommandLine(t *testing.T) {
	for _, over := range []string{"local", "ssh", "another user"} {
		t.Run(over, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, password, _ := r.BasicAuth(); password != token || r.URL.Query().Get("token") != token {
					http.Error(w, "the secret did not arrive", http.StatusForbidden)
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
				need.Root(t, "sudo")
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
			ctx, stop := context.WithCancel(t.Context())
			var watching sync.WaitGroup
			seen := map[string]bool{}
			watching.Go(func() { watch(ctx, seen) })
			fresh := map[string]bool{}
			watching.Go(func() { watchNewest(ctx, fresh) })
			report := engine.Run(ctx, o)
			stop()
			watching.Wait()
			if text := problems(report); text != "" {
				t.Fatal(text)
			}
			maps.Copy(seen, fresh)
			for line := range seen {
				t.Errorf("a process was called %q", line)
			}
			for _, name := range []string{"copied", "environment", "stdin", "text"} {
				if got := strings.TrimSuffix(content(t, o, name), "\n"); got != token {
					t.Errorf("%s is %q: the secret did not arrive", name, got)
				}
			}
		})
	}
}

// watch notes the command lines that have a part of the token, until ctx ends.
func watch(ctx context.Context, seen map[string]bool) {
	for ctx.Err() == nil {
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range files {
			look(file, seen)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// look notes the command line of a process, which may have ended.
func look(file string, seen map[string]bool) {
	line, _ := os.ReadFile(file)
	for _, part := range []string{"Xk3-tok", "9fQz_ZZ"} {
		if strings.Contains(string(line), part) {
			seen[strings.ReplaceAll(string(line), "\x00", " ")] = true
		}
	}
}

// watchNewest does so for the processes that were made last, as any user could.
func watchNewest(ctx context.Context, seen map[string]bool) {
	for ctx.Err() == nil {
		load, err := os.ReadFile("/proc/loadavg")
		words := strings.Fields(string(load))
		if err != nil || len(words) == 0 {
			return
		}
		newest, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return
		}
		for pid := newest - 2; pid <= newest+3; pid++ {
			look(fmt.Sprintf("/proc/%d/cmdline", pid), seen)
		}
	}
}

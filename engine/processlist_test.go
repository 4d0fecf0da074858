package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/engine/transport/transporttest/sshd"
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
// the time while tasks that use a secret run: here, over SSH, and as another user.
func TestNoProcessHasASecretOnItsCommandLine(t *testing.T) {
	for _, over := range []string{"local", "ssh", "another user"} {
		t.Run(over, func(t *testing.T) {
			o := options(t, usesToken)
			o.Vars, o.Redactor = map[string]string{"token": token}, &secret.Redactor{}
			if over == "ssh" {
				server := sshd.Start(t)
				write(t, filepath.Join(o.Cwd, "inventory.hcl"), fmt.Sprintf(`
host "far" {
  address       = %q
  port          = %d
  user          = %q
  identity_file = %q
  known_hosts   = %q
}`, server.Host, server.Port, server.User, server.ClientKey, server.KnownHosts))
				o.Hosts, o.Inventories = []string{"far"}, []string{"inventory.hcl"}
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
			report := engine.Run(ctx, o)
			stop()
			watching.Wait()
			if text := problems(report); text != "" {
				t.Fatal(text)
			}
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
			line, _ := os.ReadFile(file) // the process may have ended
			for _, part := range []string{"Xk3-tok", "9fQz_ZZ"} {
				if strings.Contains(string(line), part) {
					seen[strings.ReplaceAll(string(line), "\x00", " ")] = true
				}
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
}

package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/engine/transport/transporttest/sshd"
)

// interrupted is a folder with a spec for a host over SSH. Its last task hangs as long as the file
// hang is there, and its handler fails as long as the file broken is there.
func interrupted(t *testing.T) (folder string, server *sshd.Server) {
	t.Helper()
	folder, server = t.TempDir(), sshd.Start(t)
	name := "test-" + strings.ToLower(rand.Text()) // a name that nothing else on this machine has
	for file, text := range map[string]string{
		"hang": "",
		"inventory.hcl": fmt.Sprintf("host \"web\" {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  host_keys = [%q]\n}\n",
			server.Host, server.Port, server.User, server.ClientKey, strings.TrimSpace(server.HostKey)),
		"site.hcl": strings.ReplaceAll(fmt.Sprintf(`
spec %q { playbook = "./site" }
`, name), "DIR", folder),
		"site/site.hcl": strings.ReplaceAll(`
task "copy" "conf" {
  host    = "web"
  dest    = "DIR/conf"
  content = "x"
  notify  = [handler.command.reload]
}
task "command" "waits" {
  host         = "web"
  argv         = ["sh", "-c", "while test -e DIR/hang; do sleep 0.1; done"]
  changed_when = false
  depends_on   = [task.copy.conf]
}
handler "command" "reload" {
  argv = ["sh", "-c", "test ! -e DIR/broken && echo done >> DIR/reloads"]
}
`, "DIR", folder),
	} {
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder, server
}

// says runs the program to its end, and returns its exit code and what it prints.
func says(t *testing.T, folder string, args ...string) (int, string) {
	t.Helper()
	cmd := kinit(t.Context(), folder, args...)
	out, _ := cmd.CombinedOutput() // the code says how it ended
	return cmd.ProcessState.ExitCode(), string(out)
}

// until waits for a file, or for its end.
func until(t *testing.T, path string, there bool) {
	t.Helper()
	for range 300 {
		if _, err := os.Stat(path); (err == nil) == there {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s: there is %t", path, !there)
}

// However a run ends between the change and the handler, a plan shows the handler and the next run
// does it, once.
func TestHandlerIsDoneByTheRunAfterOneThatWasCutShort(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(t *testing.T, process *os.Process, server *sshd.Server){
		"killed":      func(_ *testing.T, process *os.Process, _ *sshd.Server) { _ = process.Kill() },
		"interrupted": func(_ *testing.T, process *os.Process, _ *sshd.Server) { _ = process.Signal(syscall.SIGINT) },
		"the host is lost": func(_ *testing.T, _ *os.Process, server *sshd.Server) {
			server.Stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, server := interrupted(t)
			first := kinit(t.Context(), folder, "run", "site.hcl")
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			until(t, filepath.Join(folder, "conf"), true)
			time.Sleep(500 * time.Millisecond) // the next task is at work
			cut(t, first.Process, server)
			_ = first.Wait()
			if err := os.Remove(filepath.Join(folder, "hang")); err != nil {
				t.Fatal(err)
			}
			if name == "the host is lost" {
				if err := server.Restart(t); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range []string{"plan", "status"} {
				code, out := says(t, folder, command, "site.hcl")
				if want := "handler.command.reload was notified on web by task.copy.conf at "; !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
					t.Errorf("%s says nothing of the handler, and ends with %d:\n%s", command, code, out)
				}
			}
			if _, err := os.Stat(filepath.Join(folder, "reloads")); err == nil {
				t.Error("the handler was done too early")
			}
			for range 2 {
				if code, out := says(t, folder, "run", "site.hcl"); code != 0 {
					t.Errorf("exit code %d:\n%s", code, out)
				}
			}
			if text, err := os.ReadFile(filepath.Join(folder, "reloads")); string(text) != "done\n" {
				t.Errorf("the handler has said %q, %v", text, err)
			}
		})
	}
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/modules"
)

// ansiblePlaybook calls modules of ansible-core and of a collection on each host, with a
// secret in a sensitive argument and in a secret one.
const ansiblePlaybook = `
variable "word" {
  sensitive = true
}
task "ansible" "line" {
  hosts       = run.hosts
  module      = "ansible.builtin.lineinfile"
  args        = { path = "${path.cwd}/${host.name}/line", create = true, mode = "0644" }
  secret_args = { line = "word=${var.word}" }
}
task "ansible" "copy" {
  hosts  = run.hosts
  module = "ansible.builtin.copy"
  args   = { dest = "${path.cwd}/${host.name}/copy", mode = "0600", content = var.word }
}
task "ansible" "ini" {
  hosts  = run.hosts
  module = "community.general.ini_file"
  args   = { path = "${path.cwd}/${host.name}/app.ini", section = "server", option = "port", value = "8080" }
}
task "ansible" "look" {
  hosts  = run.hosts
  module = "ansible.builtin.stat"
  args   = { path = "${path.cwd}/${host.name}/app.ini" }
  depends_on = [task.ansible.ini]
}
task "command" "same" {
  hosts     = run.hosts
  argv      = ["sh", "-c", "exit 1"]
  read_only = true
  ok_codes  = [task.ansible.look[host.name].result.stat.exists ? 1 : 0]
}
output "made" {
  value = join(" ", [for name in sort(keys(task.ansible.look)) : "${name}=${task.ansible.look[name].result.stat.exists}"])
}
`

// anotherAndSSH is an inventory of this machine as another user, and of a server of SSH.
func anotherAndSSH(server *sshd.Server) string {
	return fmt.Sprintf(`host "another" {
  transport = "local"
  become    = "nobody"
}
host "ssh" {
  address       = %q
  port          = %d
  user          = %q
  identity_file = %q
  known_hosts   = %q
}
`, server.Host, server.Port, server.User, server.ClientKey, server.KnownHosts)
}

// TestModulesOfAnsibleOverSSHAndAsAnotherUser plans, runs and runs again with a real server of
// SSH, and as another user. The secret is in no output, log or report.
func TestModulesOfAnsibleOverSSHAndAsAnotherUser(t *testing.T) {
	t.Parallel()
	need.Root(t, "ansible")
	need.Programs(t, "ansible", "ansible")
	server := sshd.Start(t)
	dir := t.TempDir()
	opened(t, dir)
	put(t, dir, "site.hcl", ansiblePlaybook)
	put(t, dir, "inventory.hcl", anotherAndSSH(server))
	for _, host := range []string{"another", "ssh"} {
		if err := os.Mkdir(filepath.Join(dir, host), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, host), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	call := func(code int, args ...string) string {
		t.Helper()
		p := newProgram(t, append(args, "site.hcl", "-i", "inventory.hcl", "--var", "word=opensesame-7", "--output", "text", "-v")...)
		p.Cwd, p.Engine.Run, p.Engine.Plan, p.Kinds = dir, engine.Run, engine.Plan, modules.All
		p.Environ = append(p.Environ, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		if got := p.run(); got != code {
			t.Fatalf("%v: exit code %d, want %d\n%s%s", args, got, code, p.out.String(), p.err.String())
		}
		return p.out.String() + p.err.String()
	}
	all := call(exit.Pending, "plan")
	for _, want := range []string{"call ansible.builtin.lineinfile: line added", "+***", "+port = 8080"} {
		if !strings.Contains(all, want) {
			t.Errorf("the plan lacks %q:\n%s", want, all)
		}
	}
	first := call(exit.OK, "run")
	if !strings.Contains(first, "made = another=true ssh=true") {
		t.Errorf("the first run prints:\n%s", first)
	}
	for _, host := range []string{"another", "ssh"} {
		if got := readFile(t, filepath.Join(dir, host, "line")) + readFile(t, filepath.Join(dir, host, "copy")); got != "word=opensesame-7\nopensesame-7" {
			t.Errorf("%s has %q", host, got)
		}
	}
	all += first + call(exit.OK, "plan")
	second := call(exit.OK, "run")
	if !strings.Contains(second, "10 tasks, 0 changed.") {
		t.Errorf("the second run prints:\n%s", second)
	}
	all += second
	err := filepath.WalkDir(filepath.Join(dir, "state"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all += readFile(t, path)
		}
		return err
	})
	if err != nil || len(all) < 5000 {
		t.Errorf("%d bytes of output and logs, %v", len(all), err)
	}
	if strings.Contains(all, "opensesame-7") {
		t.Errorf("the secret is shown:\n%s", all)
	}
}

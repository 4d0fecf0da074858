package ordinary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/modules"
)

// host is a machine with a root of its own and users of its own, reached over SSH by a server whose umask is 077.
type host struct {
	enter     []string
	inventory string
}

// prepare makes the users: alice may do everything by sudo, and svc is a service's user without a shell or a home.
const prepare = `umask 022
mkdir -p /etc/ssh/keys /srv/case
cat >/etc/ssh/keys/all
chmod 644 /etc/ssh/keys/all
for user in alice bob; do useradd -m -s /bin/bash $user; usermod -p '*' $user; chmod 700 /home/$user; done
useradd -r -M -d /nonexistent -s /usr/sbin/nologin svc
mkdir -p /etc/sudoers.d
echo 'alice ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/alice
git config --system --add safe.directory '*'
`

func newHost(t *testing.T) *host {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "nsenter", "sudo", "useradd", "chattr", "setfacl")
	pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	h := &host{enter: ownroot.Enter(pid), inventory: filepath.Join(t.TempDir(), "inventory.hcl")}
	s := sshd.Within(t, append(slices.Clone(h.enter), "sh", "-c", `umask 077; exec "$@"`, "sh"), "AuthorizedKeysFile /etc/ssh/keys/all", "SetEnv KINIT_TEST=1")
	key, err := os.ReadFile(s.ClientKey + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := h.command(prepare, string(key)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var b strings.Builder
	for _, one := range []struct{ name, user, become string }{
		{"root", "root", "null"}, {"sudo", "alice", "true"}, {"alice", "alice", "null"}, {"svc", "alice", `"svc"`}, {"bob", "bob", "null"}, {"asbob", "alice", `"bob"`},
	} {
		fmt.Fprintf(&b, "host %q {\n  address = %q\n  port = %d\n  user = %q\n  become = %s\n  identity_file = %q\n  known_hosts = %q\n}\n",
			one.name, s.Host, s.Port, one.user, one.become, s.ClientKey, s.KnownHosts)
	}
	if err := os.WriteFile(h.inventory, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) command(script, input string) *exec.Cmd {
	argv := append(slices.Clone(h.enter), "bash", "-euc", script)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(input)
	return cmd
}

// sh runs a script on the host and returns what it prints.
func (h *host) sh(t *testing.T, script string) string {
	t.Helper()
	out, err := h.command(script, "").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// options are those of a run of a playbook on the host by one of its names. The folder of the playbook is the run's own.
func (h *host) options(t *testing.T, on, playbook string, files map[string]string) engine.Options {
	t.Helper()
	dir := t.TempDir()
	files = withFile(files, "site.hcl", playbook)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return engine.Options{
		Inputs: engine.Inputs{Spec: "site.hcl", Cwd: dir, Inventories: []string{h.inventory}, Hosts: []string{on}, Vars: map[string]string{}},
		Home:   t.TempDir(), StateDir: t.TempDir(), Kinds: modules.All(),
	}
}

func withFile(files map[string]string, name, text string) map[string]string {
	all := map[string]string{name: text}
	for name, text := range files {
		all[name] = text
	}
	return all
}

// here is a case: tasks on the host by one of its names.
type here struct {
	on     string            // root when empty
	before string            // a script that runs on the host first
	tasks  string            // the playbook
	files  map[string]string // beside the playbook
	fails  string            // a part of the error; empty means success, and that a second run changes nothing
	after  string            // a script that runs on the host then
	want   string            // what it prints
	always bool              // the tasks are commands, which a second run does again
}

func (c here) test(t *testing.T, h *host) {
	t.Helper()
	on := c.on
	if on == "" {
		on = "root"
	}
	if c.before != "" {
		h.sh(t, c.before)
	}
	o := h.options(t, on, "block \"b\" {\n  hosts = run.hosts\n"+c.tasks+"\n}\n", c.files)
	err := engine.Run(t.Context(), o).Diagnostics.Err()
	switch {
	case c.fails == "" && err != nil:
		t.Error(err)
	case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
		t.Errorf("the error is %v\nwant %q in it", err, c.fails)
	}
	if c.after != "" {
		if got := h.sh(t, c.after); got != c.want {
			t.Errorf("%s\nprints\n%s\nwant\n%s", c.after, got, c.want)
		}
	}
	if c.fails != "" || c.always || t.Failed() {
		return
	}
	again := engine.Run(t.Context(), o)
	if err := again.Diagnostics.Err(); err != nil || again.Changes() != 0 {
		t.Errorf("the second run made %d changes: %v", again.Changes(), err)
	}
}

func replaced(text string, words ...string) string {
	return strings.NewReplacer(words...).Replace(text)
}

// put writes a file below the folder of a run.
func put(t *testing.T, o engine.Options, name, text string) {
	t.Helper()
	path := filepath.Join(o.Cwd, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

package ansible_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/ansible"
	"kinit/modules/internal/roottest"
)

// kind needs ansible-core, and the collections of Debian's package ansible.
func kind(t *testing.T) module.Kind {
	t.Helper()
	need.Programs(t, "ansible", "ansible", "/usr/bin/python3")
	return ansible.Kind()
}

func TestContract(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := moduletest.LocalHost(t, "demo")
	args := `module = "ansible.builtin.lineinfile"
secret_args = { line = "opensesame" }
args = { path = "` + h.Path("f") + `", create = true, mode = "0600", state = "%s" }`
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, kind, fmt.Sprintf(args, "present"))
		},
		Absent:  func() module.Task { return moduletest.Decode(t, kind, fmt.Sprintf(args, "absent")) },
		Host:    h,
		Secrets: []secret.Value{"opensesame"},
	})
	moduletest.Marks(t, h)
}

// TestModulesAsTheyAre calls modules of ansible-core and of three collections on this machine
// with a root of its own: each plans with its diff, runs, and then has nothing left to do.
func TestModulesAsTheyAre(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page\n") }))
	t.Cleanup(server.Close)
	for _, c := range []struct{ module, args, step, show, after string }{
		{"ansible.builtin.file", `path = "/srv/d", state = "directory", mode = "0750"`,
			"call ansible.builtin.file\n--- what the module manages\n+++ what the module manages\n@@ -1,4 +1,4 @@\n {\n   \"path\": \"/srv/d\",\n-  \"state\": \"absent\"\n+  \"state\": \"directory\"\n }",
			"stat -c '%A %F' /srv/d", "drwxr-x--- directory\n"},
		{"ansible.builtin.copy", `content = "one\ntwo\n", dest = "/srv/c", mode = "0640", owner = "daemon"`,
			"call ansible.builtin.copy\n--- /srv/c\n+++ /srv/c\n@@ -0,0 +1,2 @@\n+one\n+two",
			"stat -c '%A %U' /srv/c; cat /srv/c", "-rw-r----- daemon\none\ntwo\n"},
		{"lineinfile", `path = "/etc/hosts", line = "192.0.2.1 db"`,
			"call lineinfile: line added\n", "grep -c '^192.0.2.1 db$' /etc/hosts", "1\n"},
		{"ansible.builtin.blockinfile", `path = "/srv/b", create = true, block = "a\nb"`,
			"call ansible.builtin.blockinfile: File created\n--- /srv/b\n+++ /srv/b\n@@ -0,0 +1,4 @@\n+# BEGIN ANSIBLE MANAGED BLOCK\n+a\n+b\n+# END ANSIBLE MANAGED BLOCK",
			"sed -n 2p /srv/b", "a\n"},
		{"ansible.builtin.group", `name = "kinit-g", gid = 4555`, "call ansible.builtin.group", "getent group kinit-g", "kinit-g:x:4555:\n"},
		{"ansible.builtin.user", `name = "kinit-u", uid = 4556, shell = "/bin/sh", groups = ["adm"]`, "call ansible.builtin.user",
			"getent passwd kinit-u; id -Gn kinit-u", "kinit-u:x:4556:4556::/home/kinit-u:/bin/sh\nkinit-u adm\n"},
		{"ansible.builtin.cron", `name = "tick", job = "true", minute = "5", cron_file = "kinit-tick", user = "root"`,
			"call ansible.builtin.cron\n--- /etc/cron.d/kinit-tick\n+++ /etc/cron.d/kinit-tick\n@@ -0,0 +1,2 @@\n+#Ansible: tick\n+5 * * * * root true",
			"tail -n1 /etc/cron.d/kinit-tick", "5 * * * * root true\n"},
		{"ansible.builtin.get_url", `url = "SERVER", dest = "/srv/u", checksum = "sha256:362a07bbb5c74b982bed644b9f7e298837d7a3a232c964d039bb7e49ebea825f"`,
			"call ansible.builtin.get_url", "cat /srv/u", "page\n"},
		{"ansible.builtin.command", `cmd = "touch /srv/made", creates = "/srv/made"`,
			"call ansible.builtin.command: Command would have run if not in check mode", "ls /srv/made", "/srv/made\n"},
		{"ansible.builtin.replace", `path = "/etc/hosts", regexp = "^(127\\.0\\.0\\.1\\s+)localhost.*", replace = "\\1localhost here"`,
			"call ansible.builtin.replace: 1 replacements made\n", "grep -c 'localhost here' /etc/hosts", "1\n"},
		{"community.general.ini_file", `path = "/etc/app.ini", section = "server", option = "port", value = "8080"`,
			"call community.general.ini_file: section and option added\n--- /etc/app.ini\n+++ /etc/app.ini\n@@ -0,0 +1,3 @@\n+\n+[server]\n+port = 8080",
			"grep port /etc/app.ini", "port = 8080\n"},
		{"ansible.posix.authorized_key", `user = "daemon", path = "/srv/keys", manage_dir = false, key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"`,
			"call ansible.posix.authorized_key", "cut -d' ' -f1 /srv/keys", "ssh-ed25519\n"},
		{"community.crypto.openssl_dhparam", `path = "/srv/dh.pem", size = 512`, "call community.crypto.openssl_dhparam", "head -n1 /srv/dh.pem", "-----BEGIN DH PARAMETERS-----\n"},
	} {
		t.Run(c.module, func(t *testing.T) {
			t.Parallel()
			h := roottest.New(t, "demo", "useradd")
			h.Shell(t, "test -e /etc/hosts || touch /etc/hosts; printf '127.0.0.1 localhost\\n' >/etc/hosts")
			task := func() module.Task {
				return moduletest.Decode(t, kind, "module = \""+c.module+"\"\nargs = {"+strings.ReplaceAll(c.args, "SERVER", server.URL)+"}")
			}
			steps := moduletest.Settle(t, task(), h)
			if len(steps) != 1 || !strings.HasPrefix(steps[0], c.step) {
				t.Errorf("steps %q, want one that begins with %q", steps, c.step)
			}
			moduletest.Same(t, "the host", h.Shell(t, c.show), c.after)
			moduletest.Marks(t, h)
			moduletest.Same(t, "temporary files", h.Shell(t, "ls -A /tmp | grep -E '^(ansible|kinit-)' || true"), "")
		})
	}
}

// What others than the owner of a file cannot read is in no plan, and neither is a secret of
// several lines, of which only some are long enough to be masked.
func TestDiffsShowNoSecrets(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := moduletest.LocalHost(t, "")
	for name, mode := range map[string]os.FileMode{"private": 0o600, "public": 0o644} {
		if err := os.WriteFile(h.Path(name), []byte("pin 1234\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, args, want string }{
		{"lineinfile", `args = { path = "` + h.Path("private") + `", line = "new" }`, "call lineinfile: line added"},
		{"copy", `args = { content = "new", dest = "` + h.Path("private") + `" }`, "call copy"},
		{"copy", `args = { content = "new", dest = "` + h.Path("a") + `", mode = "0600" }`, "call copy"},
		{"copy", `args = { content = "new", dest = "` + h.Path("a") + `", mode = "u=rw,g=,o=" }`, "call copy"},
		{"copy", `args = { content = "new", dest = "` + h.Path("public") + `", mode = "0600" }`, "call copy"},
		{"copy", "args = { dest = \"" + h.Path("a") + "\" }\nsecret_args = { content = \"pin: 5\\nuser: me\\n\" }", "call copy"},
		{"blockinfile", "args = { path = \"" + h.Path("public") + "\" }\nsecret_args = { block = \"pin: 5\\nuser: me\\n\" }", "call blockinfile: Block inserted"},
		{"lineinfile", "args = { path = \"" + h.Path("public") + "\" }\nsecret_args = { line = \"pin 5678\" }",
			"call lineinfile: line added\n--- " + h.Path("public") + "\n+++ " + h.Path("public") + "\n@@ -1,1 +1,2 @@\n pin 1234\n+***"},
	} {
		task := moduletest.Decode(t, kind, "module = \""+c.name+"\"\n"+c.args)
		moduletest.WantTexts(t, task, h, c.want)
		if _, err := cty.GetAttrPath("diff").Apply(moduletest.Outputs(t, task, h)["result"]); (err == nil) != strings.Contains(c.want, "\n") {
			t.Errorf("%s: its result has a diff: %t", c.args, err == nil)
		}
	}
}

func TestModulesThatOnlyLookReturnValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := moduletest.LocalHost(t, "")
	for _, c := range []struct {
		module, args string
		path         cty.Path
		want         cty.Value
	}{
		{"stat", `path = "` + h.Dir + `"`, cty.GetAttrPath("stat").GetAttr("isdir"), cty.True},
		{"ansible.builtin.package_facts", `manager = ["apt"]`, cty.GetAttrPath("ansible_facts").GetAttr("packages").GetAttr("adduser").IndexInt(0).GetAttr("name"), cty.StringVal("adduser")},
		{"ansible.builtin.setup", `gather_subset = ["!all", "!min", "env"]`, cty.GetAttrPath("ansible_facts").GetAttr("ansible_env").GetAttr("HOME"), cty.StringVal(os.Getenv("HOME"))},
	} {
		t.Run(c.module, func(t *testing.T) {
			t.Parallel()
			task := moduletest.Decode(t, kind, "module = \""+c.module+"\"\nargs = {"+c.args+"}")
			moduletest.WantTexts(t, task, h)
			got, err := c.path.Apply(moduletest.Outputs(t, task, h)["result"])
			if err != nil || !got.RawEquals(c.want) {
				t.Errorf("%#v is %#v, %v, want %#v", c.path, got, err, c.want)
			}
		})
	}
}

func TestModuleWithoutCheckModeSaysSoAndReportsAfterwards(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := moduletest.Decode(t, kind(t), `module = "ansible.builtin.shell"
args = { cmd = "echo $WORD | tee `+h.Path("f")+`", executable = "/bin/sh" }`)
	moduletest.WantTexts(t, task, h, "call ansible.builtin.shell, which has no check mode: what it changes is not known")
	moduletest.Same(t, "error", moduletest.Apply(t, task, h), "")
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{"changed": cty.True, "failed": cty.False, "msg": cty.StringVal("")})
	if u := task.(module.Unverifiable); !u.Unverifiable() {
		t.Error("the task would be verified")
	}
}

func TestErrorsNameTheModuleAndTheArgument(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	for _, c := range []struct{ args, want string }{
		{`module = "file"
args = { path = "/x", stat = "directory" }`, "args: file: Unsupported parameters for (ansible.builtin.file) module: stat. Supported parameters include: "},
		{`module = "ansible.builtin.file"
args = { path = "/x", state = "dir" }`, "args: ansible.builtin.file: value of state must be one of: absent, directory, file, hard, link, touch, got: dir"},
		{`module = "ansible.builtin.nosuch"`, `module: ansible-core on the machine kinit runs on has no such module as ansible.builtin.nosuch: "ansible-doc --list" shows all; one of a collection needs its full name, such as "community.general.ufw"`},
		{`module = "no.such.thing"`, `module: ansible-core on the machine kinit runs on has no such module as no.such.thing: "ansible-galaxy collection install no.such" gets its collection, and "ansible-doc --list no.such" shows the modules of it`},
		{`module = "ansible.posix.synchronize"
args = { src = "/x", dest = "/y" }`, "module: Ansible calls ansible.posix.synchronize with code on the controller (an action plugin), and kinit calls modules on hosts alone: use a module of kinit, or another one of Ansible's"},
		{`module = "ansible.windows.win_file"`, "module: ansible.windows.win_file is not written in Python for Linux hosts: use a module of kinit, such as win_powershell, or another one of Ansible's"},
		{`module = "ansible.builtin.stat"
python = "/no/python3"
args = { path = "/" }`, "python: the host has no /no/python3, which Ansible's modules need: install Python there, as by a task with kinit's package and name python3, or name another path"},
		{`module = "ansible.builtin.unarchive"
args = { src = "/x.tar", dest = "/y" }`, "args: ansible.builtin.unarchive is called on the host, so its src is a file of the host, and it wants remote_src = true; for files of the machine kinit runs on use kinit's unarchive"},
		{`module = "ansible.builtin.copy"
args = { src = "/no/such", dest = "/y" }`, "args: src: stat /no/such: no such file or directory"},
		{`module = "ansible.builtin.replace"
args = { path = "/no/opensesame", regexp = "a" }`, "ansible.builtin.replace: Path /no/opensesame does not exist !"},
	} {
		task := moduletest.Decode(t, kind, c.args)
		if err := module.Check(task); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		if _, err := task.Plan(t.Context(), h); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error\n%v\nwant\n%s", c.args, err, c.want)
		}
	}
}

func TestFailureShowsBothStreams(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, kind(t), `module = "ansible.builtin.shell"
args = { cmd = "echo out; echo err >&2; exit 4" }`)
	moduletest.Same(t, "error", moduletest.Apply(t, task, moduletest.LocalHost(t, "")), "ansible.builtin.shell: non-zero return code\nstderr:\nerr\nstdout:\nout")
}

func TestFailedWhenGetsTheResultOfAFailure(t *testing.T) {
	t.Parallel()
	task := moduletest.Decode(t, kind(t), `module = "ansible.builtin.command"
args = { argv = ["sh", "-c", "exit 4"] }`)
	task.(module.Judged).Judge()
	h := moduletest.LocalHost(t, "")
	moduletest.Do(t, task, h)
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{"failed": cty.True, "msg": cty.StringVal("non-zero return code")})
	rc, err := cty.GetAttrPath("rc").Apply(moduletest.Outputs(t, task, h)["result"])
	if err != nil || !rc.RawEquals(cty.NumberIntVal(4)) {
		t.Errorf("rc is %#v, %v", rc, err)
	}
}

func TestHostWithoutPython(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := roottest.New(t, "")
	h.Shell(t, "rm /usr/bin/python3")
	task := moduletest.Decode(t, kind, "module = \"stat\"\nargs = { path = \"/\" }")
	moduletest.Same(t, "error", moduletest.Planned(t.Context(), task, h),
		"python: the host has no /usr/bin/python3, which Ansible's modules need: install Python there, as by a task with kinit's package and name python3, or name another path")
}

// TestSecretsAreOnNoDisk lets a module look for the secret that it was given, in all files that
// exist while it runs, and in the lists of processes.
func TestSecretsAreOnNoDisk(t *testing.T) {
	t.Parallel()
	kind := kind(t)
	h := roottest.New(t, "")
	word := rand.Text() // that no other program of this machine writes, such as a compiler of this test
	pattern := word[:1] + "[" + word[1:2] + "]" + word[2:]
	task := moduletest.Decode(t, kind, `module = "ansible.builtin.shell"
args = { cmd = "find /tmp /root /home /var/tmp /var/log -xdev -type f -newer /srv/began -exec grep -l `+pattern+` {} +; ps -eo args | grep `+pattern+`; true" }
secret_args = { stdin = "`+word+`" }`)
	h.Shell(t, "touch /srv/began")
	moduletest.Do(t, task, h)
	out, err := cty.GetAttrPath("stdout").Apply(moduletest.Outputs(t, task, h)["result"])
	if err != nil || !out.RawEquals(cty.StringVal("")) {
		t.Errorf("the secret is in %#v, %v", out, err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{`module = ""`, `module is "", want the name of one of Ansible's modules, such as "ansible.builtin.file"`},
		{`module = "Copy it"`, `module is "Copy it", want the name of one of Ansible's modules, such as "ansible.builtin.file"`},
		{`module = "general.ufw"`, `module is "general.ufw", want a name with its namespace and collection, such as "community.general.ufw"`},
		{`module = "ansible.builtin.template"`, `module is "ansible.builtin.template", which Ansible does on the controller, without a module on the host: use kinit's template`},
		{`module = "set_fact"`, `module is "set_fact", which Ansible does on the controller, without a module on the host: use a local`},
		{"module = \"file\"\nargs = [1]", "args is no object, want { name = value … }"},
		{"module = \"file\"\nargs = { path = \"/x\", become = true }", `args has "become", which in Ansible is no argument of a module but a keyword of the task: write it as an argument of the block`},
		{"module = \"file\"\nargs = { _ansible_check_mode = false }", `args has "_ansible_check_mode", which Ansible's modules keep for themselves`},
		{"module = \"user\"\nargs = { name = \"a\", password = \"b\" }\nsecret_args = { password = \"c\" }", `secret_args has "password", which is in args, too: give it once`},
		{"module = \"file\"\npython = \"python3\"", `python is "python3", expected an absolute path`},
	} {
		moduletest.Refused(t, moduletest.Decode(t, ansible.Kind(), c.args), c.want)
	}
}

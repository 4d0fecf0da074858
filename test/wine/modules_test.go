package wine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
	"kinit/modules"
)

// site is a folder with an inventory that has the machine as win1, over WinRM.
type site struct{ folder string }

func newSite(t *testing.T, s served) site {
	t.Helper()
	to := site{t.TempDir()}
	for name, text := range map[string]string{
		"password": password, "trust": s.trust,
		"inventory.hcl": fmt.Sprintf(`host "win1" {
  address     = "127.0.0.1"
  user        = %q
  transport   = "winrm"
  port        = %d
  password    = file("password")
  certificate = file("trust")
}
`, account, s.https),
	} {
		to.put(t, name, text)
	}
	return to
}

func (s site) put(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600))
}

// run runs a playbook and returns how its tasks ended: their status, and what they say.
func (s site) run(t *testing.T, playbook string) map[string]string {
	t.Helper()
	s.put(t, "site.hcl", playbook)
	ctx, cancel := context.WithTimeout(t.Context(), 2*most)
	defer cancel()
	report := engine.Run(ctx, engine.Options{
		Inputs: engine.Inputs{
			Spec: filepath.Join(s.folder, "site.hcl"), Hosts: []string{"win1"},
			Inventories: []string{filepath.Join(s.folder, "inventory.hcl")}, Cwd: s.folder,
		},
		Home: s.folder, CacheDir: s.folder, Kinds: modules.All(), Redactor: &secret.Redactor{},
	})
	if err := report.Diagnostics.Err(); err != nil && len(report.Results) == 0 {
		t.Fatal(err)
	}
	ended := map[string]string{}
	for _, r := range report.Results {
		ended[r.Address] = strings.TrimSpace(fmt.Sprintf("%s %s", r.Status, r.Message))
	}
	return ended
}

// work is a module with arguments that do its work and arguments that undo it.
type work struct {
	module, do, undo string
	reads            bool // it changes nothing
}

const absent = `state = "absent"`

// works are what Wine can show of the modules without stubs.
func works() []work {
	return []work{
		{module: "win_file", do: `path = "C:/kinit app/dätä [1]"`, undo: `path = "C:/kinit app"` + "\n" + absent},
		{module: "win_copy", do: `dest = "C:/kinit copy.txt"` + "\n" + `content = "ä€😀\r\n"`, undo: `dest = "C:/kinit copy.txt"` + "\n" + absent},
		{module: "win_template", do: `dest = "C:/t.toml"` + "\n" + `template = "name = $${name}"` + "\n" + `vars = { name = "web" }`, undo: `dest = "C:/t.toml"` + "\n" + absent},
		{module: "win_registry", do: `key = "HKLM/SOFTWARE/kinit/test"` + "\n" + `name = "list"` + "\n" + `type = "multistring"` + "\n" + `value = ["2024-01-02T03:04:05Z", "é"]`,
			undo: `key = "HKLM/SOFTWARE/kinit"` + "\n" + absent},
		{module: "win_env", do: `name = "KINIT_TEST"` + "\n" + `value = "C:\\k;é"`, undo: `name = "KINIT_TEST"` + "\n" + absent},
		{module: "win_wait", do: `script = "[IO.Directory]::Exists('C:/windows')"` + "\n" + `within = "1m"`, reads: true},
		{module: "win_command", do: `argv = ["cmd.exe", "/c", "echo", "a b"]` + "\n" + "read_only = true", reads: true},
		{module: "win_powershell", do: `arguments = { path = "C:/made.txt", text = "é" }` + "\n" + `unless = "if (-not [IO.File]::Exists($Arguments.path)) { exit 1 }"` + "\n" +
			`script = "param()\n[IO.File]::WriteAllText($Arguments.path, $Arguments.text)"`},
	}
}

// stubbed are works on stubs of the commands that Wine lacks.
func stubbed() []work {
	return []work{
		{
			module: "win_firewall", do: `name = "kinit-test"` + "\n" + `display_name = "Kinit"` + "\n" + `protocol = "tcp"` + "\n" + `local_ports = ["10250", "30000-32767"]` + "\n" +
				`remote_addresses = ["10.0.0.0/8"]` + "\n" + `profiles = ["private", "domain"]`,
			undo: `name = "kinit-test"` + "\n" + absent,
		},
		{
			module: "win_user", do: `name = "o'neill"` + "\n" + `password = "Open-Sesame-1"` + "\n" + `groups = ["S-1-5-32-544"]` + "\n" + "enabled = false",
			undo: `name = "o'neill"` + "\n" + absent,
		},
		{
			module: "win_scheduled_task", do: `name = "kinit/trim"` + "\n" + `program = "defrag.exe"` + "\n" + `arguments = ["C:", "/L"]` + "\n" + "startup = true\n" + `daily = "03:30"`,
			undo: `name = "kinit/trim"` + "\n" + absent,
		},
		{ // the installer runs as a job, which is a task of the scheduler
			module: "win_package", do: `path = "C:/windows/system32/cmd.exe"` + "\n" + `arguments = ["/c", "mkdir", "C:\\installed"]` + "\n" + `creates = "C:/installed"`,
			undo: `creates = "C:/installed"` + "\n" + `uninstall = ["C:/windows/system32/cmd.exe", "/c", "rmdir", "C:\\installed"]` + "\n" + absent,
		},
		{module: "win_feature", do: `names = ["Web-Server"]`, undo: `names = ["Web-Server"]` + "\n" + absent},
		{
			module: "win_defender_exclusion", do: `paths = ["C:/ProgramData/containerd"]` + "\n" + `processes = ["containerd.exe"]`,
			undo: `paths = ["C:/ProgramData/containerd"]` + "\n" + `processes = ["containerd.exe"]` + "\n" + absent,
		},
	}
}

// testModules does the work of modules, which a second run need not do, and undoes it.
func testModules(t *testing.T, s served, works []work) {
	at := newSite(t, s)
	playbook := func(arguments func(work) string) string {
		var text strings.Builder
		for _, w := range works {
			if of := arguments(w); of != "" {
				fmt.Fprintf(&text, "task %q \"it\" {\nhost = \"win1\"\n%s\n}\n", w.module, of)
			}
		}
		return text.String()
	}
	do, undo := playbook(func(w work) string { return w.do }), playbook(func(w work) string { return w.undo })
	for _, step := range []struct {
		name, playbook string
		changes        bool
	}{{"do", do, true}, {"do again", do, false}, {"undo", undo, true}, {"undo again", undo, false}} {
		t.Run(step.name, func(t *testing.T) {
			ended := at.run(t, step.playbook)
			if len(ended) != strings.Count(step.playbook, "task ") {
				t.Errorf("%d tasks ended: %v", len(ended), ended)
			}
			for _, w := range works {
				want := event.OK
				if step.changes && !w.reads {
					want = event.Changed
				}
				for address, got := range ended {
					if strings.HasSuffix(address, w.module+".it") && got != string(want) {
						t.Errorf("%s is %s, want %s", w.module, got, want)
					}
				}
			}
		})
	}
}

// testFaults asks for work on a machine in a state that scripts once did not expect.
func testFaults(t *testing.T, m *machine, s served) {
	at := newSite(t, s)
	for _, c := range []struct{ name, file, content, module, arguments, want string }{
		{"Defender is stopped: there is nothing to exclude", "stopped", "", "win_defender_exclusion", `paths = ["C:/k"]`, "ok"},
		{
			"the firewall is stopped, which is no rule that is missing", "stopped", "", "win_firewall", `name = "kinit-test"` + "\n" + absent,
			"failed There are no more endpoints available from the endpoint mapper.",
		},
		{
			"a task there runs as a group: it is replaced", "tasks",
			`{"\\kinit\\trim": {"Actions": [{"Execute": "x"}], "Triggers": [], "Principal": {"GroupId": "Users"}, "Settings": {}, "State": "Ready"}}`,
			"win_scheduled_task", `name = "kinit/trim"` + "\n" + `program = "defrag.exe"` + "\n" + "startup = true", "changed",
		},
		{
			"the account of a task there is gone: it is removed", "tasks",
			`{"\\kinit\\trim": {"Actions": [{"Execute": "x"}], "Triggers": [], "Principal": {"UserId": "gone"}, "Settings": {}, "State": "Ready"}}`,
			"win_scheduled_task", `name = "kinit/trim"` + "\n" + absent, "changed",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := m.path(`C:\ProgramData\stubs\` + c.file)
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, errors.Join(os.WriteFile(file, []byte(c.content), 0o644), os.Chown(filepath.Dir(file), user, user), os.Chown(file, user, user)))
			defer os.Remove(file)
			ended := at.run(t, fmt.Sprintf("task %q \"it\" {\nhost = \"win1\"\n%s\n}\n", c.module, c.arguments))
			if len(ended) != 1 {
				t.Errorf("%d tasks ended", len(ended))
			}
			for _, got := range ended {
				if !strings.HasPrefix(got, c.want) {
					t.Errorf("it is %s, want %s", got, c.want)
				}
			}
		})
	}
}

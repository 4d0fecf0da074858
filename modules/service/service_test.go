package service

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/systemdtest"
)

const webUnit = "[Service]\nExecStart=/bin/web\n[Install]\nWantedBy=multi-user.target\n"

func TestSuiteOfAUnitOfKinit(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h, _ := systemdtest.New(t, owner, map[string]*systemdtest.Unit{})
		moduletest.Run(t, moduletest.Case{
			New: func() module.Task {
				return task(t, "name = \"web\"\nunit = <<E\n"+webUnit+"E\nenabled = true\nstate = \"started\"\nrestart_on = [\"a\"]")
			},
			Absent: func() module.Task { return task(t, "name = \"web\"\nstate = \"absent\"") },
			Host:   h,
		})
		moduletest.Marks(t, h)
	}
}

func TestSuiteOfAServiceOfTheDistribution(t *testing.T) {
	t.Parallel()
	for owner, want := range map[string]systemdtest.Unit{
		"demo": {Load: "loaded", Active: "inactive", File: "disabled"},
		"":     {Load: "loaded", Active: "active", File: "enabled"}, // the former state is unknown
	} {
		h, s := systemdtest.New(t, owner, map[string]*systemdtest.Unit{"ssh.service": systemdtest.Stopped()})
		moduletest.Run(t, moduletest.Case{
			New:    func() module.Task { return task(t, "name = \"ssh\"\nenabled = true\nstate = \"started\"") },
			Absent: func() module.Task { return task(t, "name = \"ssh\"\nstate = \"absent\"") },
			Host:   h,
		})
		if got := *s.Units["ssh.service"]; got != want {
			t.Errorf("owner %q: %+v, want %+v", owner, got, want)
		}
		moduletest.Marks(t, h)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const unknown, changed = ", as it is not known what it was started with", ", as what it was started with has changed"
	known := (&Task{RestartOn: []string{"a"}}).fingerprint()
	for _, c := range []struct {
		name, args string
		unit       *systemdtest.Unit
		stored     string
		want       []string
	}{
		{"as it should be", "enabled = true\nstate = \"started\"", systemdtest.Running(), "", nil},
		{"neither enabled nor started", "enabled = true\nstate = \"started\"", systemdtest.Stopped(), "", []string{"enable x.service", "start x.service"}},
		{"to be disabled and stopped", "enabled = false\nstate = \"stopped\"", systemdtest.Running(), "", []string{"disable x.service", "stop x.service"}},
		{"disabled and stopped", "enabled = false\nstate = \"stopped\"", systemdtest.Stopped(), "", nil},
		{"failed is stopped", `state = "stopped"`, &systemdtest.Unit{Active: "failed"}, "", nil},
		{"failed is to be started", `state = "started"`, &systemdtest.Unit{Active: "failed"}, "", []string{"start x.service"}},
		{"being reloaded runs", `state = "started"`, &systemdtest.Unit{Active: "reloading"}, "", nil},
		{"static needs no enabling", `enabled = true`, &systemdtest.Unit{Active: "active", File: "static"}, "", nil},
		{"enabled until the next boot only", `enabled = true`, &systemdtest.Unit{File: "enabled-runtime"}, "", []string{"enable x.service"}},
		{"not there yet", "enabled = true\nstate = \"started\"", nil, "", []string{"enable x.service", "start x.service"}},
		{"to be masked", `masked = true`, systemdtest.Running(), "", []string{"mask x.service"}},
		{"masked", `masked = true`, &systemdtest.Unit{File: "masked"}, "", nil},
		{"to be unmasked", "masked = false\nstate = \"started\"", &systemdtest.Unit{Active: "inactive", File: "masked"}, "", []string{"unmask x.service", "start x.service"}},
		{"old unit file", `state = "started"`, &systemdtest.Unit{Active: "active", Reload: true}, "", []string{"reload systemd, which has an old x.service"}},
		{"started with the same", `restart_on = ["a"]`, systemdtest.Running(), known, nil},
		{"started with another", `restart_on = ["b"]`, systemdtest.Running(), known, []string{"restart x.service" + changed}},
		{"started with something", `restart_on = ["a"]`, systemdtest.Running(), "", []string{"restart x.service" + unknown}},
		{"starting with something", "restart_on = [\"a\"]\nstate = \"started\"", &systemdtest.Unit{Active: "activating"}, "", []string{"restart x.service" + unknown}},
		{"starting with another", "restart_on = [\"b\"]\nstate = \"started\"", &systemdtest.Unit{Active: "activating"}, known, []string{"restart x.service" + changed}},
		{"starting with the same", "restart_on = [\"a\"]\nstate = \"started\"", &systemdtest.Unit{Active: "activating"}, known, []string{"start x.service"}},
		{"starting", `state = "started"`, &systemdtest.Unit{Active: "activating"}, "", []string{"start x.service"}},
		{"to be restarted", `state = "restarted"`, systemdtest.Running(), "", []string{"restart x.service"}},
		{"to be restarted and does not run", `state = "restarted"`, systemdtest.Stopped(), "", []string{"start x.service"}},
		{"to be reloaded", "state = \"reloaded\"\nenabled = true", systemdtest.Running(), "", []string{"reload x.service"}},
		{"to be reloaded and does not run", `state = "reloaded"`, &systemdtest.Unit{Active: "failed"}, "", []string{"start x.service"}},
		{"all unit files", "state = \"restarted\"\ndaemon_reload = true", systemdtest.Running(), "", []string{"reload systemd", "restart x.service"}},
		{"all unit files, as the own one is old", "state = \"started\"\ndaemon_reload = true", &systemdtest.Unit{Active: "active", Reload: true}, "", []string{"reload systemd"}},
		{"not started, so nothing to restart", `restart_on = ["a"]`, systemdtest.Stopped(), "", nil},
		{"not started and to be", "restart_on = [\"b\"]\nstate = \"started\"", systemdtest.Stopped(), known, []string{"start x.service"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{"x.service": c.unit})
			if c.stored != "" {
				h.FS.Put("/var/lib/kinit/host.x.service.fingerprint", c.stored+"\n", 0o600)
			}
			got := moduletest.Texts(t, task(t, "name = \"x\"\n"+c.args), h)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChangedUnitShowsADiffAndRestarts(t *testing.T) {
	t.Parallel()
	h, s := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{})
	moduletest.Do(t, task(t, "name = \"web\"\nstate = \"started\"\nunit = \"[Service]\\nExecStart=/bin/web\\n\""), h)
	changed := task(t, "name = \"web\"\nstate = \"started\"\nunit = \"[Service]\\nExecStart=/bin/web2\\n\"")
	want := []string{
		"change unit web.service\n--- /etc/systemd/system/web.service\n+++ /etc/systemd/system/web.service\n" +
			"@@ -1,2 +1,2 @@\n [Service]\n-ExecStart=/bin/web\n+ExecStart=/bin/web2",
		"restart web.service, as what it was started with has changed",
	}
	moduletest.WantTexts(t, changed, h, want...)
	moduletest.Do(t, changed, h)
	lines := h.Changes()
	if got := lines[len(lines)-2:]; !slices.Equal(got, []string{"systemctl daemon-reload", "systemctl restart -- web.service"}) {
		t.Errorf("commands %q", got)
	}
	if s.Units["web.service"].Active != "active" {
		t.Error("web does not run")
	}
	moduletest.Marks(t, h, module.Mark{Kind: "unit", ID: "web.service"},
		module.Mark{Kind: "file", ID: "/var/lib/kinit/demo.web.service.fingerprint"})
}

func TestForeignUnitIsNotReplaced(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{})
	h.FS.Put(systemdtest.Folder+"web.service", "other", 0o644)
	_, err := task(t, "name = \"web\"\nunit = \"mine\"").Plan(t.Context(), h)
	want := "/etc/systemd/system/web.service exists with other content and is not owned by cluster demo: " +
		"choose another name, or use a drop-in folder with a copy task"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = task(t, "name = \"web\"\nstate = \"absent\"").Plan(t.Context(), h)
	want = "/etc/systemd/system/web.service exists and is not owned by cluster demo: remove it yourself if nothing needs it"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestForeignLinkIsNotReplaced(t *testing.T) {
	t.Parallel()
	const link = systemdtest.Folder + "web.service"
	for _, target := range []string{"/opt/web/web.service", "/dev/null"} {
		h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"web.service": {Load: "loaded", Active: "inactive", File: "linked"}})
		if err := h.FS.Symlink(t.Context(), target, link); err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, "error", moduletest.Apply(t, task(t, "name = \"web\"\nmasked = false\nunit = \"mine\""), h),
			"/etc/systemd/system/web.service is a link to "+target+" and is not owned by cluster demo: "+
				"choose another name, or remove the link yourself if nothing needs it")
		moduletest.Same(t, "absent", moduletest.Apply(t, task(t, "name = \"web\"\nstate = \"absent\""), h), "")
		info, err := h.FS.Stat(t.Context(), link)
		if err != nil || info.Target != target {
			t.Errorf("link to %q, %v, want %q", info.Target, err, target)
		}
		moduletest.Marks(t, h)
	}
}

// Without an owner, a unit file replaces a file or a link that is there.
func TestLinkIsReplacedOnAHostWithoutAnOwnerAndWhereTheUnitIsTheClusters(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h, _ := systemdtest.New(t, owner, map[string]*systemdtest.Unit{"web.service": systemdtest.Stopped()})
		if err := h.Own(t.Context(), module.Mark{Kind: "unit", ID: "web.service"}); err != nil {
			t.Fatal(err)
		}
		if err := h.FS.Symlink(t.Context(), "/opt/web/web.service", systemdtest.Folder+"web.service"); err != nil {
			t.Fatal(err)
		}
		steps := moduletest.Settle(t, task(t, "name = \"web\"\nunit = \"mine\""), h)
		moduletest.Same(t, "steps", steps, []string{"create unit web.service"})
		text, _ := h.FS.Text(systemdtest.Folder + "web.service")
		moduletest.Same(t, "unit", text, "mine")
	}
}

func TestSuiteOfActions(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"name = \"web\"\nstate = \"restarted\"": {"systemctl restart -- web.service"},
		"name = \"web\"\nstate = \"reloaded\"":  {"systemctl reload -- web.service"},
		"daemon_reload = true":                  {"systemctl daemon-reload"},
	} {
		h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"web.service": systemdtest.Running()})
		moduletest.Run(t, moduletest.Case{New: func() module.Task { return task(t, args) }, Host: h})
		if diff := cmp.Diff(want, h.Changes()); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", args, diff)
		}
		moduletest.Marks(t, h)
	}
}

func TestARestartThatStartsAServiceKeepsHowItWas(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"web.service": systemdtest.Stopped()})
	for range 2 {
		moduletest.Do(t, task(t, "name = \"web\"\nstate = \"restarted\""), h)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "service", ID: "web.service", Prior: `{"enabled":false,"active":false}`})
}

func TestMarkKeepsHowAServiceWas(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": {Load: "loaded", Active: "inactive", File: "enabled"}})
	for _, state := range []string{"started", "stopped"} {
		moduletest.Do(t, task(t, "name = \"ssh.service\"\nstate = \""+state+"\""), h)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "service", ID: "ssh.service", Prior: `{"enabled":true,"active":false}`})
}

func TestMarkTakesAServiceThatIsStartingForARunningOne(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": {Load: "loaded", Active: "activating", File: "enabled"}})
	moduletest.Do(t, task(t, "name = \"ssh.service\"\nstate = \"started\""), h)
	moduletest.Marks(t, h, module.Mark{Kind: "service", ID: "ssh.service", Prior: `{"enabled":true,"active":true}`})
}

func TestRestoreOfAServiceWhosePackageIsGone(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{})
	if err := h.Own(t.Context(), module.Mark{Kind: "service", ID: "ssh.service", Prior: `{"enabled":false,"active":false}`}); err != nil {
		t.Fatal(err)
	}
	moduletest.Do(t, task(t, "name = \"ssh\"\nstate = \"absent\""), h)
	moduletest.Marks(t, h)
	if len(h.Changes()) > 0 {
		t.Errorf("changes %q", h.Changes())
	}
}

func TestRestartAloneIsNoReasonForAMark(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": systemdtest.Running()})
	moduletest.Do(t, task(t, "name = \"ssh\"\nrestart_on = [\"a\"]"), h)
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: "/var/lib/kinit/demo.ssh.service.fingerprint"})
}

func TestFailedStartHasTheEndOfTheJournal(t *testing.T) {
	t.Parallel()
	h, s := systemdtest.New(t, "", map[string]*systemdtest.Unit{"web.service": systemdtest.Stopped()})
	s.Fails = "start"
	steps, err := task(t, "name = \"web\"\nstate = \"started\"").Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	want := "command ended with code 1: Job for web.service failed.\n$ systemctl start -- web.service\n" +
		"the end of its journal:\nlistening on :80\naddress in use"
	if err := steps[0].Do(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Systemd goes on with a start when the run that asked for it is killed. The next run must
// not interrupt what runs as it should.
func TestAStartThatWasBrokenOffIsNoReasonToRestart(t *testing.T) {
	t.Parallel()
	h, s := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"web.service": systemdtest.Stopped()})
	s.Fails = "start"
	made := task(t, "name = \"web\"\nstate = \"started\"\nrestart_on = [\"a\"]")
	steps, err := made.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err == nil {
		t.Fatal("the start did not fail")
	}
	s.Fails = ""
	s.Units["web.service"].Active = "active"
	if got := moduletest.Texts(t, made, h); len(got) > 0 {
		t.Errorf("steps %q, want none", got)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const noState = "x@.service is a template, which does not run itself: " +
		`want state, enabled, masked and restart_on in the task of an instance, such as "x@1.service"`
	for args, want := range map[string]string{
		`name = "x"`:                           "nothing is asked for, want state, enabled, unit, restart_on, masked or daemon_reload",
		`daemon_reload = true`:                 "",
		"daemon_reload = true\nenabled = true": `name is "", want a unit such as "containerd" or "kinit.target"`,
		"name = \"x\"\nstate = \"reloaded\"\nrestart_on = [\"a\"]": `state is "reloaded", which needs no reason: want it without restart_on`,
		"name = \"x\"\nmasked = true\nstate = \"restarted\"":       `a masked unit cannot be started, want masked without unit, enabled = true and state = "started"`,
		"name = \"a/b\"\nstate = \"started\"":                      `name is "a/b", want a unit such as "containerd" or "kinit.target"`,
		"name = \"x\"\nstate = \"running\"":                        `state is "running", want one of started, stopped, restarted, reloaded, absent`,
		"name = \"x@\"\nstate = \"restarted\"":                     noState,
		"name = \"x@\"\nmasked = false":                            noState,
		"name = \"x@\"\nrestart_on = [\"a\"]":                      noState,
		"name = \"x@.timer\"\nunit = \"[Timer]\"":                  "",
		"name = \"x@\"\nstate = \"absent\"":                        "",
		"name = \"x\"\nmasked = true\nenabled = true":              `a masked unit cannot be started, want masked without unit, enabled = true and state = "started"`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func TestFingerprintTellsListsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, list := range [][]string{{"ab"}, {"a", "b"}, {"b", "a"}, {"", "ab"}} {
		seen[(&Task{RestartOn: list}).fingerprint()] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d fingerprints, want 4", len(seen))
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), strings.TrimSpace(args)+"\n").(*Task)
}

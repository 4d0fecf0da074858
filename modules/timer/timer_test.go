package timer_test

import (
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/roottest"
	"kinit/modules/internal/systemdtest"
	"kinit/modules/timer"
)

const backup = `name         = "kinit-test"
description  = "100% backup"
command      = ["/bin/echo", "a b", "$HOME"]
user         = "backup"
env          = { B = "c d", A = "5%" }
dir          = "/srv"
on_calendar  = ["daily", "Mon..Fri 06:30"]
on_boot      = "5min"
every        = "1h"
random_delay = "10min"
`

func task(t *testing.T, args string) *timer.Task {
	t.Helper()
	return moduletest.Decode(t, timer.Kind(), args).(*timer.Task)
}

// host is a fake systemd, with the real systemd-analyze.
func host(t *testing.T, owner string, units map[string]*systemdtest.Unit) (*moduletest.FakeHost, *systemdtest.Systemd) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		need.Missing(t, "systemd-analyze", err.Error())
	}
	h, s := systemdtest.New(t, owner, units)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		if c.Argv[0] != "systemd-analyze" {
			return moduletest.Reply{}, false
		}
		cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
		stderr := &strings.Builder{}
		cmd.Stderr = stderr
		out, _ := cmd.Output() // the code tells
		return moduletest.Reply{Stdout: string(out), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}, true
	})
	return h, s
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h, s := host(t, owner, map[string]*systemdtest.Unit{})
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, backup) },
			Absent: func() module.Task { return task(t, "name = \"kinit-test\"\nstate = \"absent\"") },
		})
		moduletest.Marks(t, h)
		moduletest.Same(t, "units", len(s.Units), 0)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	h, s := host(t, "demo", map[string]*systemdtest.Unit{})
	moduletest.Settle(t, task(t, backup), h)
	run, _ := h.FS.Text(systemdtest.Folder + "kinit-test.service")
	moduletest.Same(t, "service", run, `[Unit]
Description=100%% backup

[Service]
Type=oneshot
User=backup
WorkingDirectory=/srv
Environment=A=5%%
Environment="B=c d"
ExecStart=/bin/echo "a b" $$HOME
`)
	when, _ := h.FS.Text(systemdtest.Folder + "kinit-test.timer")
	moduletest.Same(t, "timer", when, `[Unit]
Description=100%% backup

[Timer]
OnCalendar=daily
OnCalendar=Mon..Fri 06:30
OnBootSec=5min
OnUnitActiveSec=1h
RandomizedDelaySec=10min
Persistent=true

[Install]
WantedBy=timers.target
`)
	moduletest.Same(t, "state of the timer", *s.Units["kinit-test.timer"], *systemdtest.Running())
	moduletest.Same(t, "state of the service", *s.Units["kinit-test.service"], *systemdtest.Stopped())
	moduletest.Marks(t, h, module.Mark{Kind: "unit", ID: "kinit-test.service"}, module.Mark{Kind: "unit", ID: "kinit-test.timer"},
		module.Mark{Kind: "file", ID: "/var/lib/kinit/demo.kinit-test.timer.fingerprint"})

	real := roottest.New(t, "", "systemctl")
	real.Put(t, systemdtest.Folder+"kinit-test.service", run, module.Attr{})
	real.Put(t, systemdtest.Folder+"kinit-test.timer", when, module.Attr{})
	moduletest.Same(t, "systemd's complaints", real.Shell(t, "systemd-analyze verify --man=no kinit-test.timer kinit-test.service 2>&1"), "")
	real.Shell(t, "systemctl --root=/ enable kinit-test.timer && test -L /etc/systemd/system/timers.target.wants/kinit-test.timer")
}

func TestChangedTimeRestartsTheTimerOnly(t *testing.T) {
	t.Parallel()
	h, _ := host(t, "demo", map[string]*systemdtest.Unit{})
	moduletest.Settle(t, task(t, backup), h)
	changed := task(t, strings.ReplaceAll(backup, "06:30", "07:30"))
	steps := roottest.Planned(t, h, changed)
	if len(steps) != 2 || !strings.HasPrefix(steps[0], "change unit kinit-test.timer\n") ||
		steps[1] != "restart kinit-test.timer, as what it was started with has changed" {
		t.Errorf("steps %q", steps)
	}
	stopped := task(t, backup+`state = "stopped"`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, stopped), []string{"disable kinit-test.timer", "stop kinit-test.timer"})
	moduletest.Settle(t, stopped, h)
}

func TestAJobThatRunsContinues(t *testing.T) {
	t.Parallel()
	h, s := host(t, "demo", map[string]*systemdtest.Unit{})
	moduletest.Settle(t, task(t, backup), h)
	s.Units["kinit-test.service"].Active = "activating"
	moduletest.WantTexts(t, task(t, backup), h)
	changed := task(t, strings.ReplaceAll(backup, "a b", "a c"))
	moduletest.WantTexts(t, changed, h, `change unit kinit-test.service
--- /etc/systemd/system/kinit-test.service
+++ /etc/systemd/system/kinit-test.service
@@ -7,4 +7,4 @@
 WorkingDirectory=/srv
 Environment=A=5%%
 Environment="B=c d"
-ExecStart=/bin/echo "a b" $$HOME
+ExecStart=/bin/echo "a c" $$HOME`)
	moduletest.Settle(t, changed, h)
	moduletest.Same(t, "state of the service", s.Units["kinit-test.service"].Active, "activating")
}

func TestTimeThatSystemdDoesNotUnderstandIsAnErrorOfThePlan(t *testing.T) {
	t.Parallel()
	h, _ := host(t, "", map[string]*systemdtest.Unit{})
	for arg, want := range map[string]string{
		`on_calendar = ["daily", "often"]`:                 "a time of x.timer is wrong: Failed to parse calendar specification 'often': Invalid argument",
		"on_boot = \"soon\"":                               "a time of x.timer is wrong: Failed to parse time span 'soon': Invalid argument",
		"on_calendar = [\"daily\"]\nrandom_delay = \"5q\"": "a time of x.timer is wrong: Failed to parse time span '5q': Invalid argument",
	} {
		got := roottest.Planned(t, h, task(t, "name = \"x\"\ncommand = [\"/bin/true\"]\n"+arg))
		moduletest.Same(t, arg, got, []string{"error: " + want})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const named = "name = \"x\"\n"
	for args, want := range map[string]string{
		"name = \"a/b\"":                                    `name is "a/b", want letters, digits, "-", "_" and "."`,
		"name = \"a@b\"":                                    `name is "a@b", want letters, digits, "-", "_" and "."`,
		named + "command = [\"true\"]":                      `command is ["true"], want a program's absolute path and its arguments`,
		named + "command = [\"/bin/true\"]":                 "no time is given, want on_calendar, on_boot or every",
		named + "command = [\"/bin/true\"]\nevery = \"1h\"": "every counts from the last start, want on_boot or on_calendar for the first one",
		named + "command = [\"/bin/true\"]\non_boot = \"1h\"\ndir = \"srv\"":            `dir is "srv", want an absolute path`,
		named + "command = [\"/bin/true\"]\non_boot = \"1h\\nx\"":                       "an argument has a line break or a backslash, want one line",
		named + "command = [\"/bin/true\"]\non_boot = \"1h\"\nenv = { \"a b\" = \"\" }": `env has "a b", want a variable's name`,
		named + "state = \"present\"":                                                   `state is "present", want one of started, stopped, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

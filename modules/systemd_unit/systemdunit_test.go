package systemdunit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
	"kinit/modules/internal/systemdtest"
	"kinit/modules/service"
	"kinit/modules/systemd_unit"
)

func task(t *testing.T, args string) *systemdunit.Task {
	t.Helper()
	return moduletest.Decode(t, systemdunit.Kind(), args).(*systemdunit.Task)
}

const web = `name     = "web"
enabled  = true
state    = "started"
vars     = { port = 8080 }
template = "[Service]\nExecStart=/bin/web $${port}\n[Install]\nWantedBy=multi-user.target\n"
`

const limits = "name = \"ssh\"\ndrop_in = \"50-limits\"\ncontent = \"[Service]\\nLimitNOFILE=65536\\n\"\n"

func TestContract(t *testing.T) {
	t.Parallel()
	for name, absent := range map[string]string{web: `name = "web"`, limits: "name = \"ssh\"\ndrop_in = \"50-limits\""} {
		for _, owner := range []string{"", "demo"} {
			h, _ := systemdtest.New(t, owner, map[string]*systemdtest.Unit{"ssh.service": systemdtest.Running()})
			moduletest.Run(t, moduletest.Case{
				Host:   h,
				New:    func() module.Task { return task(t, name) },
				Absent: func() module.Task { return task(t, absent+"\nstate = \"absent\"") },
			})
			moduletest.Marks(t, h)
		}
	}
}

func TestUnitFromATemplate(t *testing.T) {
	t.Parallel()
	h, s := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{})
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, web)), []string{"create unit web.service", "enable web.service", "start web.service"})
	moduletest.Settle(t, task(t, web), h)
	text, _ := h.FS.Text(systemdtest.Folder + "web.service")
	moduletest.Same(t, "unit", text, "[Service]\nExecStart=/bin/web 8080\n[Install]\nWantedBy=multi-user.target\n")
	moduletest.Same(t, "state", *s.Units["web.service"], *systemdtest.Running())
	changed := task(t, strings.ReplaceAll(web, "8080", "8081"))
	steps := roottest.Planned(t, h, changed)
	if len(steps) != 2 || !strings.Contains(steps[0], "\n-ExecStart=/bin/web 8080\n+ExecStart=/bin/web 8081\n") ||
		steps[1] != "restart web.service, as what it was started with has changed" {
		t.Errorf("steps %q", steps)
	}
	values, err := module.Outputs(t.Context(), changed, h)
	if err != nil || !values["active"].True() || values["path"].AsString() != "/etc/systemd/system/web.service" {
		t.Errorf("outputs %v, %v", values, err)
	}
}

func TestDropInIsReadAndTheRunningServiceRestarted(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": systemdtest.Running()})
	moduletest.Settle(t, task(t, limits), h)
	text, _ := h.FS.Text(systemdtest.Folder + "ssh.service.d/50-limits.conf")
	moduletest.Same(t, "drop-in", text, "[Service]\nLimitNOFILE=65536\n")
	if want := []string{"systemctl daemon-reload", "systemctl restart -- ssh.service"}; !slices.Equal(h.Changes(), want) {
		t.Errorf("commands %q, want %q", h.Changes(), want)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "directory", ID: "/etc/systemd/system/ssh.service.d"},
		module.Mark{Kind: "file", ID: "/etc/systemd/system/ssh.service.d/50-limits.conf"},
		module.Mark{Kind: "file", ID: "/var/lib/kinit/demo.ssh.service.50-limits.fingerprint"})
}

func TestSystemdTakesTheUnitOfTheTemplate(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "systemctl", "systemd-analyze")
	fake, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{})
	moduletest.Settle(t, task(t, strings.ReplaceAll(web, "/bin/web", "/bin/sleep")), fake)
	text, _ := fake.FS.Text(systemdtest.Folder + "web.service")
	h.Put(t, systemdtest.Folder+"web.service", text, module.Attr{})
	h.Shell(t, "systemd-analyze verify --man=no web.service && systemctl --root=/ enable web.service")
	moduletest.Same(t, "link", h.Shell(t, "readlink /etc/systemd/system/multi-user.target.wants/web.service"), "/etc/systemd/system/web.service\n")
}

func TestSecretsDoNotBelongInAUnit(t *testing.T) {
	t.Parallel()
	made := task(t, web)
	if !made.Hide("vars") || made.Hide("name") {
		t.Error("it does not keep vars alone to itself")
	}
	want := "a sensitive value is in the text, and everybody can read a unit: put it into a file for EnvironmentFile"
	moduletest.Refused(t, made, want)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const noState = "worker@.service is a template, which does not run itself: " +
		`want state, enabled, masked and restart_on in the task of an instance, such as "worker@1.service"`
	for args, want := range map[string]string{
		"name = \"a b\"\ncontent = \"\"":                                               `name is "a b", want a unit such as "web" or "web.socket", of a type among .service .socket .timer .path .mount .automount .swap .target .slice`,
		"name = \"web\"":                                                               "want exactly one of content and template",
		"name = \"web\"\ncontent = \"a\"\ntemplate = \"b\"":                            "want exactly one of content and template",
		"name = \"web\"\ncontent = \"A=b\"":                                            `the text of web.service: line 1 is "A=b", want a section such as [Service] before it`,
		"name = \"web\"\ntemplate = \"[A]\\nB=$${c}\"":                                 "template line 2: Variables not allowed: Variables may not be used here.\n  B=${c}",
		"name = \"web\"\ndrop_in = \"../x\"\ncontent = \"\"":                           `drop_in is "../x", want a file's name such as "50-limits"`,
		"name = \"worker@\"\ncontent = \"[A]\"\nstate = \"started\"":                   noState,
		"name = \"worker@\"\ncontent = \"[A]\"\nenabled = false":                       noState,
		"name = \"worker@\"\ncontent = \"[A]\"\nrestart_on = [\"a\"]\ndrop_in = \"b\"": noState,
		"name = \"worker@\"\ncontent = \"[A]\"\nstate = \"present\"":                   "",
		"name = \"worker@1\"\ncontent = \"[A]\"\nstate = \"started\"":                  "",
		"name = \"web\"\nstate = \"running\"":                                          `state is "running", want one of started, stopped, present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func TestARemovedDropInLeavesItsUnit(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h, s := systemdtest.New(t, owner, map[string]*systemdtest.Unit{"web.service": systemdtest.Running()})
		h.FS.Put(systemdtest.Folder+"web.service", "[Service]\nExecStart=/bin/web\n", 0o644)
		moduletest.Settle(t, task(t, strings.Replace(limits, "ssh", "web", 1)), h)
		steps := moduletest.Settle(t, task(t, "name = \"web\"\ndrop_in = \"50-limits\"\nstate = \"absent\""), h)
		moduletest.Same(t, "steps", steps, []string{"remove /etc/systemd/system/web.service.d/50-limits.conf",
			"forget what web.service was started with"})
		text, _ := h.FS.Text(systemdtest.Folder + "web.service")
		moduletest.Same(t, "unit", text, "[Service]\nExecStart=/bin/web\n")
		moduletest.Same(t, "state", *s.Units["web.service"], *systemdtest.Running())
		moduletest.Marks(t, h)
	}
}

func TestARemovedDropInLeavesTheMarkOfItsService(t *testing.T) {
	t.Parallel()
	h, s := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": systemdtest.Stopped()})
	moduletest.Settle(t, task(t, limits+"state = \"started\""), h)
	moduletest.Settle(t, task(t, "name = \"ssh\"\ndrop_in = \"50-limits\"\nstate = \"absent\""), h)
	moduletest.Same(t, "state", s.Units["ssh.service"].Active, "active")
	moduletest.Marks(t, h, module.Mark{Kind: "service", ID: "ssh.service", Prior: `{"enabled":false,"active":false}`})
}

// tasksOfOneUnit are two drop-ins and a service, each with its own reason to restart the unit.
func tasksOfOneUnit(t *testing.T) []module.Task {
	return []module.Task{task(t, limits), task(t, strings.ReplaceAll(limits, "50-limits", "60-more")),
		moduletest.Decode(t, service.Kind(), "name = \"ssh\"\nrestart_on = [\"a\"]\n")}
}

func TestTasksOfOneUnitDoNotRestartItForEachOther(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h, _ := systemdtest.New(t, owner, map[string]*systemdtest.Unit{"ssh.service": systemdtest.Running()})
		for _, made := range tasksOfOneUnit(t) {
			moduletest.Settle(t, made, h)
		}
		for _, made := range tasksOfOneUnit(t) {
			moduletest.WantTexts(t, made, h)
		}
		moduletest.Settle(t, task(t, "name = \"ssh\"\ndrop_in = \"50-limits\"\nstate = \"absent\""), h)
		for _, made := range tasksOfOneUnit(t)[1:] {
			moduletest.WantTexts(t, made, h)
		}
	}
}

// An older version kept the fingerprint of a drop-in under the name of that of its unit.
func TestFingerprintOfAnOlderVersionIsNoReasonToRestart(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "demo", map[string]*systemdtest.Unit{"ssh.service": systemdtest.Running()})
	moduletest.Settle(t, task(t, limits), h)
	const own, older = "/var/lib/kinit/demo.ssh.service.50-limits.fingerprint", "/var/lib/kinit/demo.ssh.service.fingerprint"
	if err := h.FS.Rename(t.Context(), own, older); err != nil {
		t.Fatal(err)
	}
	moduletest.WantTexts(t, task(t, limits), h)

	moduletest.Settle(t, task(t, "name = \"ssh\"\ndrop_in = \"50-limits\"\nstate = \"absent\""), h)
	moduletest.WantTexts(t, task(t, limits), h, "create /etc/systemd/system/ssh.service.d/50-limits.conf, mode 0644",
		"restart ssh.service, as it is not known what it was started with")
}

func TestTemplateOfUnits(t *testing.T) {
	t.Parallel()
	const worker = "name = \"worker@\"\ncontent = \"[Service]\\nExecStart=/bin/work %i\\n\"\n"
	const drop = worker + "drop_in = \"50-limits\"\n"
	for _, owner := range []string{"", "demo"} {
		h, _ := systemdtest.New(t, owner, map[string]*systemdtest.Unit{})
		moduletest.Same(t, "steps", moduletest.Settle(t, task(t, worker), h), []string{"create unit worker@.service"})
		moduletest.Same(t, "steps of a drop-in", moduletest.Settle(t, task(t, drop), h),
			[]string{"create /etc/systemd/system/worker@.service.d/50-limits.conf, mode 0644"})
		moduletest.WantOutputs(t, task(t, worker), h, map[string]cty.Value{"name": cty.StringVal("worker@.service"), "active": cty.False})
		moduletest.Settle(t, task(t, "name = \"worker@\"\ndrop_in = \"50-limits\"\nstate = \"absent\""), h)
		moduletest.Same(t, "steps of absent", moduletest.Settle(t, task(t, "name = \"worker@\"\nstate = \"absent\""), h),
			[]string{"remove unit worker@.service"})
		if text, there := h.FS.Text(systemdtest.Folder + "worker@.service"); there {
			t.Errorf("the template is still there: %q", text)
		}
		moduletest.Marks(t, h)
	}
}

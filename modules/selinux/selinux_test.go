package selinux

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// host has a kernel with a mode, which setenforce changes, and a file.
func host(t *testing.T, owner, live, text string) *moduletest.FakeHost {
	t.Helper()
	h := moduletest.NewFakeHost(t, owner)
	h.FS.Put(file, text, 0o644)
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		switch call.Line() {
		case "getenforce":
			return moduletest.Reply{Stdout: live + "\n"}, true
		case "setenforce 1":
			live = "Enforcing"
		case "setenforce 0":
			live = "Permissive"
		default:
			return moduletest.Reply{}, false
		}
		return moduletest.Reply{Changes: true}, true
	})
	return h
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

const comment = "# SELINUX= is one of three words.\n"

func kept(t *testing.T, h *moduletest.FakeHost) string {
	t.Helper()
	text, _ := h.FS.Text(file)
	return strings.ReplaceAll(text, "\n", "|")
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := host(t, owner, "Enforcing", comment+"SELINUX=enforcing\nSELINUXTYPE=default\n")
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, `mode = "permissive"`) },
			Absent: func() module.Task { return task(t, `state = "absent"`) },
		})
		moduletest.Marks(t, h)
		want := map[string]string{"": "permissive", "demo": "enforcing"}[owner]
		moduletest.Same(t, "file", kept(t, h), "# SELINUX= is one of three words.|SELINUX="+want+"|SELINUXTYPE=default|")
	}
}

func TestWhatChangesNowAndWhatAtBoot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live, file, args string
		steps            []string
		live2            string
		reboot           bool
	}{
		{"Permissive", "SELINUX=enforcing\n", "", []string{"switch SELinux to enforcing, was permissive"}, "enforcing", false},
		{"Enforcing", "SELINUX=permissive\n", "", []string{"set SELinux to enforcing at boot, was permissive"}, "enforcing", false},
		{"Disabled", "SELINUX=disabled\n", "", []string{"set SELinux to enforcing at boot, was disabled"}, "disabled", true},
		{"Disabled", "SELINUX=enforcing\n", "", nil, "disabled", true},
		{"Enforcing", "SELINUX=enforcing\n", `mode = "disabled"`, []string{"set SELinux to disabled at boot, was enforcing"}, "enforcing", true},
		{"Disabled", "SELINUX=disabled\n", `mode = "disabled"`, nil, "disabled", false},
		{"Permissive", "SELINUXTYPE=default\n", "", []string{"set SELinux to enforcing at boot, was not given", "switch SELinux to enforcing, was permissive"}, "enforcing", false},
	} {
		h := host(t, "", c.live, c.file)
		made := task(t, c.args)
		moduletest.WantTexts(t, made, h, c.steps...)
		moduletest.Settle(t, made, h)
		moduletest.WantOutputs(t, made, h, map[string]cty.Value{"mode": cty.StringVal(c.live2), "reboot_required": cty.BoolVal(c.reboot)})
	}
}

func TestHostWithoutAPolicy(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("getenforce").Out("Disabled\n")
	moduletest.Same(t, "plan", moduletest.Planned(t.Context(), task(t, ""), h),
		"/etc/selinux/config is missing: install a policy before, such as selinux-policy-targeted, or selinux-policy-default on Debian")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, task(t, `mode = "on"`), `mode is "on", want one of enforcing, permissive, disabled`)
}

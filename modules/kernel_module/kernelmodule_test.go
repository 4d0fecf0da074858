package kernelmodule_test

import (
	"context"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
	"kinit/modules/kernel_module"
)

const sys = "/sys/module/kinit_test/"

func task(t *testing.T, args string) *kernelmodule.Task {
	t.Helper()
	return moduletest.Decode(t, kernelmodule.Kind(), "name = \"kinit-test\"\n"+args).(*kernelmodule.Task)
}

// kernel is a fake host on which modprobe loads and unloads, as kmod 30 does: a real
// one would change the kernel of the machine.
func kernel(t *testing.T, owner string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, owner)
	for _, folder := range []string{"/etc/modules-load.d", "/etc/modprobe.d", "/sys/module"} {
		if err := h.FS.Mkdir(t.Context(), folder, module.Attr{}); err != nil {
			t.Fatal(err)
		}
	}
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		switch c.Line() {
		case "modprobe --show-depends -- kinit-test":
			return moduletest.Reply{Stdout: "insmod /lib/modules/6.1.0/kernel/kinit-test.ko \n"}, true
		case "modprobe -- kinit-test":
			load(h)
			return moduletest.Reply{Changes: true}, true
		case "modprobe --remove -- kinit-test", "modprobe --remove -- kinit_test":
			if err := h.FS.Remove(context.Background(), "/sys/module/kinit_test"); err != nil {
				t.Error(err)
			}
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

// load makes what the kernel shows of a loaded module.
func load(h *moduletest.FakeHost) {
	h.FS.Put(sys+"initstate", "live\n", 0o444)
	h.FS.Put(sys+"refcnt", "0\n", 0o444)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := kernel(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, `options = ["nested=1", "debug"]`) },
			Absent: func() module.Task { return task(t, `state = "absent"`) },
		})
		moduletest.Marks(t, h)
		if _, err := h.FS.Stat(t.Context(), "/sys/module/kinit_test"); err == nil {
			t.Errorf("owner %q: the module is loaded", owner)
		}
	}
}

func TestLoadedAndKept(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	made := task(t, `options = ["nested=1", "debug"]`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{
		"create /etc/modprobe.d/kinit-kinit_test.conf, mode 0644", "create /etc/modules-load.d/kinit-kinit_test.conf, mode 0644",
		"load kernel module kinit-test"})
	moduletest.Settle(t, made, h)
	boot, _ := h.FS.Text("/etc/modules-load.d/kinit-kinit_test.conf")
	params, _ := h.FS.Text("/etc/modprobe.d/kinit-kinit_test.conf")
	moduletest.Same(t, "files", boot+params, "# Made by kinit.\nkinit-test\n# Made by kinit.\noptions kinit-test nested=1 debug\n")
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: "/etc/modprobe.d/kinit-kinit_test.conf"},
		module.Mark{Kind: "file", ID: "/etc/modules-load.d/kinit-kinit_test.conf"}, module.Mark{Kind: "kernel_module", ID: "kinit_test"})
}

func TestForeignModuleStaysLoaded(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	load(h)
	moduletest.Settle(t, task(t, "persistent = false"), h)
	moduletest.Marks(t, h)
	moduletest.Same(t, "absent", roottest.Planned(t, h, task(t, `state = "absent"`)), nil)
}

func TestBuiltInCountsAsLoaded(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("modprobe", "--show-depends", "--", "kinit-test").Out("builtin kinit_test\n")
	made := task(t, "persistent = false")
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), nil)
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || !values["loaded"].True() {
		t.Errorf("outputs %v, %v", values, err)
	}
}

func TestUnknownModuleIsExplainedWhenItIsLoaded(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "modprobe")
	made := task(t, "persistent = false")
	steps, err := made.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	want := "load kernel module kinit-test: command ended with code 1: modprobe: FATAL: Module kinit-test not found"
	if err := steps[0].Do(t.Context(), h); err == nil || err.Error()[:len(want)] != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestUndoLeavesWhatIsUsed(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	load(h)
	mark := module.Mark{Kind: "kernel_module", ID: "kinit_test"}
	h.FS.Put(sys+"refcnt", "2\n", 0o444)
	if err := kernelmodule.Undo(t.Context(), h, mark); err != nil || len(h.Changes()) > 0 {
		t.Errorf("%v, commands %q, want none", err, h.Changes())
	}
	h.FS.Put(sys+"refcnt", "0\n", 0o444)
	for range 2 {
		if err := kernelmodule.Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "commands", h.Changes(), []string{"modprobe --remove -- kinit_test"})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"loaded = false\npersistent = false": "nothing is asked for, want loaded, persistent or options",
		`options = ["a=b c"]`:                `options has "a=b c", want parameters such as "nested=1"`,
		`state = "loaded"`:                   `state is "loaded", want one of present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
	want := `name is "../x", want a kernel module such as "br_netfilter"`
	moduletest.Refused(t, &kernelmodule.Task{Name: "../x", Loaded: true, Presence: module.Presence{State: "present"}}, want)
}

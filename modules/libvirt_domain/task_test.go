package domain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

const (
	uuid   = "0af7651c-9167-4a2e-8fd5-5a3a3f5d6f01"
	portID = "6d2ba4ef-37d4-4c25-b17f-0b2cf0a3fd0e"
)

// node is a task that uses libvirt's test driver; each test has a domain of its
// own, as the driver is shared.
func node(t *testing.T) *Task {
	task := newTask(openTest)
	task.Name = "node-" + t.Name()
	task.UUID = ""
	task.VCPUs, task.Memory, task.VirtType = 2, "512MiB", "qemu"
	task.Disk, task.Seed = "/var/lib/libvirt/images/node.qcow2", "/var/lib/libvirt/images/node.iso"
	task.NICs = []NIC{{Bridge: "br-int", PortID: portID, MAC: "52:54:00:12:34:56", MTU: 1442}}
	return task
}

func openTest(ctx context.Context, _ module.Host) (*virt.Conn, error) { return virt.OpenTest(ctx) }

// driver keeps the test driver's domains until the test ends.
func driver(t *testing.T) *virt.Conn {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestDomainPassesTheSuite(t *testing.T) {
	c := driver(t)
	h := moduletest.NewFakeHost(t, "k8s")
	name := node(t).Name
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { n := node(t); n.Name, n.Autostart = name, true; return n },
		Absent: func() module.Task { n := newTask(openTest); n.Name, n.State = name, "absent"; return n },
		Snapshot: func() string {
			d, found, err := c.Find(context.Background(), name)
			return fmt.Sprint(d, found, err)
		},
	})
}

func TestNewDomainIsDefinedAndStarted(t *testing.T) {
	t.Parallel()
	c, h, task := driver(t), moduletest.NewFakeHost(t, "k8s"), node(t)
	task.Autostart, task.UUID = true, uuid
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{
		"define domain " + task.Name + ": 2 vcpus, 512MiB, qemu",
		"set autostart of domain " + task.Name + " to true",
		"start domain " + task.Name,
	})
	d, _, err := c.Find(t.Context(), task.Name)
	if err != nil || d.State != virt.Running || !d.Autostart || d.UUID != uuid || d.Stamp.Owner != "k8s" {
		t.Errorf("domain %+v, %v", d, err)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "domain_log", ID: task.Name})
}

func TestChangedArgumentsTakeEffectAtTheNextStart(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, "k8s"), node(t)
	moduletest.Settle(t, task, h)
	task.Memory = "1GiB"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"redefine domain " + task.Name + ": takes effect at its next start"})
	moduletest.Same(t, "restart pending", output(t, task, h, "restart_pending"), "cty.True")

	task.Restart = true
	moduletest.Same(t, "steps with restart", moduletest.Settle(t, task, h), []string{"restart domain " + task.Name})
	moduletest.Same(t, "restart pending", output(t, task, h, "restart_pending"), "cty.False")

	task.VCPUs = 1
	moduletest.Same(t, "steps with restart", moduletest.Settle(t, task, h), []string{"redefine domain " + task.Name, "restart domain " + task.Name})
}

// output is a value as Go writes it.
func output(t *testing.T, task *Task, h module.Host, name string) string {
	t.Helper()
	values := moduletest.Outputs(t, task, h)
	return values[name].GoString()
}

func TestStoppedDomainIsDefinedAndShutDown(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, "k8s"), node(t)
	task.State = "stopped"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"define domain " + task.Name + ": 2 vcpus, 512MiB, qemu"})
	moduletest.Same(t, "state", output(t, task, h, "state"), `cty.StringVal("stopped")`)
	task.State = "running"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"start domain " + task.Name})
	moduletest.Same(t, "state", output(t, task, h, "state"), `cty.StringVal("running")`)
	task.State, task.Memory = "stopped", "1GiB"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"redefine domain " + task.Name, "shut down domain " + task.Name})
}

func TestAbsentDomainLeavesNothing(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, "k8s"), node(t)
	moduletest.Settle(t, task, h)
	h.FS.Put(virt.ConsoleLog(task.Name), "login:", 0o600)
	task.State = "absent"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"stop domain " + task.Name, "undefine domain " + task.Name})
	if _, there := h.FS.Text(virt.ConsoleLog(task.Name)); there {
		t.Error("the console log is still there")
	}
	marks, err := h.Marks(t.Context())
	if err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v; want none", marks, err)
	}
	moduletest.Same(t, "state", output(t, task, h, "state"), `cty.StringVal("absent")`)
}

func TestLogsOfAnInterruptedRemovalAreRemoved(t *testing.T) {
	t.Parallel()
	c, h, task := driver(t), moduletest.NewFakeHost(t, "k8s"), node(t)
	moduletest.Settle(t, task, h)
	h.FS.Put(virt.ConsoleLog(task.Name), "login:", 0o600)
	for _, err := range []error{c.PowerOff(t.Context(), task.Name), c.Undefine(t.Context(), task.Name)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	task.State = "absent"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"remove the logs of domain " + task.Name})
}

func TestLogsThatWereThereBeforeAreKept(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, "k8s"), node(t)
	h.FS.Put(virt.ConsoleLog(task.Name), "of an older domain", 0o600)
	moduletest.Settle(t, task, h)
	task.State = "absent"
	moduletest.Settle(t, task, h)
	if _, there := h.FS.Text(virt.ConsoleLog(task.Name)); !there {
		t.Error("somebody else's log is gone")
	}
}

func TestDomainOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	driver(t)
	task := node(t)
	moduletest.Settle(t, task, moduletest.NewFakeHost(t, "other"))
	want := "domain " + task.Name + " exists on fake and is not owned by cluster k8s but by other: " +
		`choose another name, or remove it with "virsh undefine" if nothing needs it`
	for _, state := range []string{"running", "stopped", "absent"} {
		task.State = state
		if _, err := task.Plan(t.Context(), moduletest.NewFakeHost(t, "k8s")); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", state, err, want)
		}
	}
}

func TestDomainThatAppearedAfterPlanningIsNeverTouched(t *testing.T) {
	t.Parallel()
	driver(t)
	task, h := node(t), moduletest.NewFakeHost(t, "k8s")
	steps := moduletest.Steps(t, task, h)
	moduletest.Settle(t, task, moduletest.NewFakeHost(t, "other"))
	for _, step := range steps {
		if err := step.Do(t.Context(), h); err == nil || !strings.HasPrefix(err.Error(), "domain "+task.Name+" exists on fake and is not owned by cluster k8s but by other: ") {
			t.Errorf("%s: %v", step, err)
		}
	}
}

func TestHostWithoutAnOwnerNeedsNoMarks(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, ""), node(t)
	moduletest.Settle(t, task, h)
	h.FS.Put(virt.ConsoleLog(task.Name), "login:", 0o600)
	task.State = "absent"
	moduletest.Settle(t, task, h)
	if _, there := h.FS.Text(virt.ConsoleLog(task.Name)); there {
		t.Error("the console log is still there")
	}
}

func TestAnotherUUIDIsRefused(t *testing.T) {
	t.Parallel()
	driver(t)
	h, task := moduletest.NewFakeHost(t, "k8s"), node(t)
	task.UUID = "0af7651c-9167-4a2e-8fd5-5a3a3f5d6f02"
	moduletest.Settle(t, task, h)
	task.UUID = "0AF7651C-9167-4A2E-8FD5-5A3A3F5D6F02"
	moduletest.Settle(t, task, h)
	task.UUID = uuid
	want := "domain " + task.Name + " has the UUID 0af7651c-9167-4a2e-8fd5-5a3a3f5d6f02, and " + uuid +
		` is wanted: remove it first, with state = "absent"`
	if _, err := task.Plan(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestWithoutLibvirtADomainIsAbsent(t *testing.T) {
	t.Parallel()
	h, task := moduletest.NewFakeHost(t, "k8s"), Kind().New().(*Task)
	task.Name, task.State = "node", "absent"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string(nil))
	task.State, task.VCPUs, task.Memory, task.Disk = "running", 1, "1GiB", "/d"
	steps := moduletest.Steps(t, task, h)
	if len(steps) != 2 {
		t.Fatalf("steps %v, want to define and to start", steps)
	}
	if err := steps[0].Do(t.Context(), h); err == nil {
		t.Error("defining without libvirt gave no error")
	}
}

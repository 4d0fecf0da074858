package domain

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/virt"
	"kinit/modules/internal/virt/virttest"
)

func TestDomainPassesTheSuiteOnRealLibvirt(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "k8s")
	disk := emptyDisk(t, h)
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return emulated(disk) },
		Absent: func() module.Task { n := emulated(disk); n.State = "absent"; return n },
	})
}

func TestRestartOnRealLibvirtChangesTheRunningGuest(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "k8s")
	task := emulated(emptyDisk(t, h))
	moduletest.Settle(t, task, h)
	task.Memory = "256MiB"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"redefine domain node: takes effect at its next start"})
	task.Restart, task.Shutdown = true, "100ms" // the guest has no system that could follow
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"restart domain node"})
	moduletest.Same(t, "vnc port", output(t, task, h, "vnc_port"), "cty.NumberIntVal(5900)")
	if _, err := h.Files().Stat(t.Context(), virt.ConsoleLog("node")); err != nil {
		t.Error(err)
	}
	task.State = "absent"
	moduletest.Same(t, "steps", moduletest.Settle(t, task, h), []string{"stop domain node", "undefine domain node"})
	left, err := h.Files().List(t.Context(), "/var/log/libvirt/qemu")
	if err != nil || len(left) > 0 {
		t.Errorf("logs %v, %v; want none", left, err)
	}
}

func TestKVMThatDoesNotWorkHasAHint(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "k8s")
	task := emulated("/node.qcow2")
	task.VirtType = "kvm"
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	if want := `virt_type = "qemu" emulates the processor)`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want it to end with %s", err, want)
	}
}

func TestRealLibvirtTakesADomainForWindows(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "k8s")
	task := emulated(emptyDisk(t, h))
	task.OSType, task.Clock, task.Memory = "windows", "localtime", "2GiB"
	task.NICs[0].Queues = 2
	installer := h.Path("installer.iso")
	if err := os.WriteFile(installer, make([]byte, 64<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	task.CDs = []string{installer, "/nowhere/drivers.iso"}
	moduletest.Settle(t, task, h)
	moduletest.Same(t, "state", output(t, task, h, "state"), `cty.StringVal("running")`)
	task.State = "absent"
	moduletest.Settle(t, task, h)
}

// emulated is a domain that QEMU can run without KVM.
func emulated(disk string) *Task {
	off := false
	task := newTask(virt.Open)
	task.Name, task.UUID = "node", uuid
	task.VCPUs, task.Memory, task.VirtType = 2, "128MiB", "qemu"
	task.Disk, task.VNC, task.Autostart = disk, true, true
	task.NICs = []NIC{{Bridge: virttest.Bridge, MAC: "52:54:00:12:34:56", MTU: 1442, Offload: &off}}
	return task
}

func emptyDisk(t *testing.T, h *virttest.Host) string {
	t.Helper()
	need.Programs(t, "libvirt", "qemu-img")
	disk := h.Path("node.qcow2")
	if out, err := exec.Command("qemu-img", "create", "-q", "-f", "qcow2", disk, "1G").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return disk
}

package winimage

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

const image = "/images/windows.qcow2"

func openTest(ctx context.Context, _ module.Host) (*virt.Conn, error) { return virt.OpenTest(ctx) }

// hypervisor is a host with media, whose qemu-img, sync and ln work on its files.
type hypervisor struct {
	*moduletest.FakeHost
	virt *virt.Conn
}

func lab(t *testing.T, owner string) hypervisor {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	h := hypervisor{moduletest.NewFakeHost(t, owner), c}
	for _, file := range []string{"/iso/windows.iso", "/iso/virtio-win.iso", "/iso/openssh.msi"} {
		h.FS.Put(file, "medium", 0o644)
	}
	h.FS.Put("/images/debian.qcow2", "", 0o644)
	h.Handle(h.programs)
	return h
}

// programs are those that the installation runs.
func (h hypervisor) programs(c moduletest.Call) (moduletest.Reply, bool) {
	switch {
	case strings.HasPrefix(c.Line(), "stdbuf -oL virsh "):
		return moduletest.Reply{}, true
	case strings.HasPrefix(c.Line(), "qemu-img create -q -f qcow2 /images/kinit-image-") && c.Argv[6] == "42949672960":
		h.FS.Put(c.Argv[5], "empty", 0o644)
		return moduletest.Reply{Changes: true}, true
	case c.Argv[0] == "sync":
		return moduletest.Reply{}, true
	case c.Argv[0] == "ln":
		if _, there := h.FS.Text(c.Argv[2]); there {
			return moduletest.Reply{Stderr: "File exists", Code: 1}, true
		}
		text, _ := h.FS.Text(c.Argv[1])
		h.FS.Put(c.Argv[2], text, 0o444)
		return moduletest.Reply{Changes: true}, true
	}
	return moduletest.Reply{}, false
}

// server is the image's task; each test has a path of its own, and so a domain.
func server(t *testing.T) *Task {
	task := newTask(openTest)
	task.Path, task.every = "/images/"+t.Name()+".qcow2", time.Millisecond
	task.Installer, task.Drivers, task.OpenSSH = "/iso/windows.iso", "/iso/virtio-win.iso", "/iso/openssh.msi"
	task.VirtType, task.Keep = "qemu", true
	task.Firmware = "bios" // the test driver knows no firmware with variables
	return task
}

// install does the step while a guest does its part: it waits until its domain runs,
// with an empty disk, and then ends as it is told to.
func (h hypervisor) install(t *testing.T, task *Task, end func(name string) error) error {
	t.Helper()
	guest := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { guest <- h.guest(ctx, task, end) }()
	err := moduletest.Steps(t, task, h)[0].Do(ctx, h)
	if guestErr := <-guest; guestErr != nil {
		t.Fatalf("the guest: %v", guestErr)
	}
	return err
}

func (h hypervisor) guest(ctx context.Context, task *Task, end func(name string) error) error {
	c, err := virt.OpenTest(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	name := task.domain(h)
	for {
		// The disk first: it is made when the domain of an earlier run is gone, so a domain
		// that runs after it is the one that has it.
		disk, _ := h.FS.Text(task.disk(h))
		d, found, err := c.Find(ctx, name)
		if err != nil {
			return err
		}
		if found && d.State == virt.Running && disk == "empty" {
			return end(name)
		}
		time.Sleep(time.Millisecond)
	}
}

// sealed is the end of a guest that installs itself and turns itself off.
func (h hypervisor) sealed(task *Task) func(name string) error {
	return func(name string) error {
		h.FS.Put(task.disk(h), "Windows", 0o600)
		return h.virt.Shutdown(context.Background(), name, time.Minute)
	}
}

func TestImagePassesTheSuite(t *testing.T) {
	h, name := lab(t, "k8s"), t.Name()
	make := func() *Task {
		task := server(t)
		task.Path = "/images/" + name + ".qcow2"
		return task
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := sync.WaitGroup{}
	done.Go(func() {
		for ctx.Err() == nil {
			_ = h.guest(ctx, make(), h.sealed(make())) // ends with its context
		}
	})
	defer done.Wait()
	defer cancel()
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return make() },
		Absent: func() module.Task { task := make(); task.State = "absent"; return task },
	})
}

func (h hypervisor) marks(t *testing.T) []module.Mark {
	t.Helper()
	marks, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return marks
}

func TestImageIsInstalledAndSealedOnce(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	moduletest.Same(t, "step", moduletest.Steps(t, task, h)[0].String(),
		"install Windows Server 2022 SERVERDATACENTERCORE from /iso/windows.iso and seal it as "+task.Path)
	if err := h.install(t, task, h.sealed(task)); err != nil {
		t.Fatal(err)
	}
	text, _ := h.FS.Text(task.Path)
	moduletest.Same(t, "image", text, "Windows")
	info, err := h.FS.Stat(t.Context(), task.Path)
	if err != nil || info.Mode.Perm() != 0o444 {
		t.Errorf("mode %v, %v; want 0444", info.Mode, err)
	}
	moduletest.Same(t, "marks", h.marks(t), []module.Mark{{Kind: "file", ID: task.Path, Keep: true}})
	for _, file := range []string{task.disk(h), task.seed(h)} {
		if _, there := h.FS.Text(file); there {
			t.Errorf("%s is still there", file)
		}
	}
	if _, found, err := h.virt.Find(t.Context(), task.domain(h)); found || err != nil {
		t.Errorf("the domain: %v, %v", found, err)
	}
	if steps := moduletest.Steps(t, task, h); len(steps) > 0 {
		t.Errorf("planned again: %v", steps)
	}
}

func TestGuestWhosePowerIsCutIsNotSealed(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	off := func(name string) error { return h.virt.PowerOff(context.Background(), name) }
	err := h.install(t, task, off)
	want := "domain " + task.domain(h) + " stopped before it was done, and not by itself: run again to start over"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, there := h.FS.Text(task.Path); there {
		t.Error("there is an image")
	}
	if err := h.install(t, task, h.sealed(task)); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

func TestInterruptedInstallationGoesOn(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := func(string) error { cancel(); return nil }
	guest := make(chan error, 1)
	go func() { guest <- h.guest(ctx, task, interrupted) }()
	if err := moduletest.Steps(t, task, h)[0].Do(ctx, h); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := <-guest; err != nil {
		t.Fatal(err)
	}
	created := len(h.Changes())
	if err := h.install(t, task, h.sealed(task)); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "changes since", h.Changes()[created:], []string{"ln " + task.disk(h) + " " + task.Path})
}

func TestInstallationThatEndedUnwatchedIsPutAway(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	ctx, cancel := context.WithCancel(t.Context())
	guest := make(chan error, 1)
	go func() { guest <- h.guest(ctx, task, func(string) error { cancel(); return nil }) }()
	if err := moduletest.Steps(t, task, h)[0].Do(ctx, h); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := <-guest; err != nil {
		t.Fatal(err)
	}
	if err := h.sealed(task)(task.domain(h)); err != nil {
		t.Fatal(err)
	}
	if err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	text, _ := h.FS.Text(task.Path)
	moduletest.Same(t, "image", text, "Windows")
}

func TestFailedInstallationStartsOver(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	task.Pictures = "/var/pictures"
	failing := func(name string) error {
		h.FS.Put(task.disk(h), "half", 0o600)
		h.FS.Put(virt.ConsoleLog(name), "kinit: failed: Sysprep left the image as IMAGE_STATE_UNDEPLOYABLE\n", 0o600)
		return nil
	}
	err := h.install(t, task, failing)
	want := "the guest's script failed: Sysprep left the image as IMAGE_STATE_UNDEPLOYABLE"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
	created := len(h.Changes())
	if err := h.install(t, task, h.sealed(task)); err != nil {
		t.Fatal(err)
	}
	if changes := h.Changes()[created:]; len(changes) != 2 || !strings.HasPrefix(changes[0], "qemu-img create") {
		t.Errorf("changes %q, want a new disk and the image", changes)
	}
}

func TestImageThatAppearedMeanwhileIsTaken(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	err := h.install(t, task, func(name string) error {
		h.FS.Put(task.Path, "another cluster's", 0o444)
		return h.sealed(task)(name)
	})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := h.FS.Text(task.Path)
	moduletest.Same(t, "image", text, "another cluster's")
	moduletest.Same(t, "marks", h.marks(t), []module.Mark{})
}

func TestMissingMediaAreNamed(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"/iso/windows.iso", "/iso/virtio-win.iso", "/iso/openssh.msi"} {
		h, task := lab(t, "k8s"), server(t)
		if err := h.FS.Remove(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
		if want := file + " does not exist on fake: download or copy it first"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if changes := h.Changes(); len(changes) > 0 {
			t.Errorf("something was changed: %q", changes)
		}
	}
}

func TestDiskOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	h.FS.Put(task.disk(h), "theirs", 0o600)
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	if want := task.disk(h) + " exists and is not owned by cluster k8s: remove it yourself if nothing needs it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAbsentImageIsRemovedWhereItIsTheOwners(t *testing.T) {
	t.Parallel()
	h, task := lab(t, "k8s"), server(t)
	if err := h.install(t, task, h.sealed(task)); err != nil {
		t.Fatal(err)
	}
	task.State = "absent"
	if _, err := task.Plan(t.Context(), moduleHostOf(t, h, "other")); err == nil {
		t.Error("another cluster may remove it")
	}
	steps := moduletest.Steps(t, task, h)
	moduletest.Same(t, "step", steps[0].String(), "remove image "+task.Path)
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "marks", h.marks(t), []module.Mark{})
	if steps := moduletest.Steps(t, task, h); len(steps) > 0 {
		t.Errorf("planned again: %v", steps)
	}
}

// moduleHostOf is a host with the same files and another owner.
func moduleHostOf(t *testing.T, h hypervisor, owner string) module.Host {
	other := moduletest.NewFakeHost(t, owner)
	other.FS = h.FS
	return other
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments":           {change: func(*Task) {}},
		"absent needs only a path": {change: func(n *Task) { *n = Task{Path: image, Presence: module.Presence{State: "absent"}} }},
		"relative path":            {change: func(n *Task) { n.Path = "a" }, want: `path "a": expected an absolute path`},
		"unknown state":            {change: func(n *Task) { n.State = "on" }, want: `state is "on", want one of present, absent`},
		"no installer":             {change: func(n *Task) { n.Installer = "" }, want: `installer "": expected an absolute path of the host`},
		"no drivers":               {change: func(n *Task) { n.Drivers = "" }, want: `drivers "": expected an absolute path of the host`},
		"relative openssh":         {change: func(n *Task) { n.OpenSSH = "a" }, want: `openssh "a": expected an absolute path of the host`},
		"unknown edition":          {change: func(n *Task) { n.Edition = "2016" }, want: `edition "2016": expected "2k19", "2k22" or "2k25"`},
		"name and number":          {change: func(n *Task) { n.ImageName, n.ImageIndex = "x", 1 }, want: `expected image_name or image_index, not both`},
		"little memory": {change: func(n *Task) { n.Memory = "1GiB" },
			want: `memory 1GiB: Windows Server installs itself with 2GiB at least`},
		"small disk":       {change: func(n *Task) { n.Size = "30GiB" }, want: `size 30GiB: Windows Server needs a disk of 32GiB at least`},
		"no vcpus":         {change: func(n *Task) { n.VCPUs = 0 }, want: `vcpus 0: expected at least 1`},
		"unknown type":     {change: func(n *Task) { n.VirtType = "xen" }, want: `virt_type "xen": expected "kvm" or "qemu"`},
		"unknown firmware": {change: func(n *Task) { n.Firmware = "efi" }, want: `firmware "efi": expected "uefi" or "bios"`},
		"wrong domain":     {change: func(n *Task) { n.Domain = "a/b" }, want: `domain "a/b": expected letters, digits, '.', '-' and '_'`},
		"wrong duration":   {change: func(n *Task) { n.Within = "soon" }, want: `within "soon": expected a duration such as "90m"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := server(t)
			task.Path = image
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}

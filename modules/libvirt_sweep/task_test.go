package virtsweep

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

func openTest(ctx context.Context, _ module.Host) (*virt.Conn, error) { return virt.OpenTest(ctx) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lab is a host on which the owner has two domains that run, a disk for each, a
// seed, logs of a domain that is gone, and somebody else has a domain.
func lab(t *testing.T, owner string) (*moduletest.FakeHost, *virt.Conn) {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	must(t, err)
	t.Cleanup(func() { c.Close() })
	h := moduletest.NewFakeHost(t, owner)
	for name, owner := range map[string]string{"a": owner, "b": owner, "theirs": "other-" + owner} {
		define(t, c, owner, t.Name()+"-"+name)
	}
	for _, name := range []string{t.Name() + "-a", t.Name() + "-b", "gone"} {
		must(t, h.Own(t.Context(), virt.LogMark(name)))
		h.FS.Put(virt.ConsoleLog(name), "login:", 0o600)
	}
	for _, path := range []string{"/images/a.qcow2", "/images/a.iso", "/images/b.qcow2"} {
		must(t, h.Own(t.Context(), virt.VolumeMark(path)))
		h.FS.Put(path, "disk", 0o600)
	}
	must(t, h.Own(t.Context(), module.Mark{Kind: "file", ID: "/etc/motd"}))
	h.FS.Put("/images/base.qcow2", "foreign", 0o644)
	return h, c
}

func define(t *testing.T, c *virt.Conn, owner, name string) {
	t.Helper()
	start(t, c, name, definition(t, owner, name))
}

func definition(t *testing.T, owner, name string) string {
	t.Helper()
	text, err := virt.Spec{
		Name: name, Type: "qemu", VCPUs: 1, Memory: 1 << 28, CPU: "maximum", Machine: "q35", Disk: "/d.qcow2",
	}.XML(owner, "")
	must(t, err)
	return text
}

// clone does what virt-clone does: the same XML, metadata included, under another name and
// UUID.
func clone(t *testing.T, c *virt.Conn, text, name string) {
	t.Helper()
	text = regexp.MustCompile("<name>.*</name>").ReplaceAllString(text, "<name>"+name+"</name>")
	start(t, c, name, regexp.MustCompile("<uuid>.*</uuid>").ReplaceAllString(text, "<uuid>"+uuid.NewString()+"</uuid>"))
}

func start(t *testing.T, c *virt.Conn, name, text string) {
	t.Helper()
	must(t, c.Define(t.Context(), text))
	must(t, c.Start(t.Context(), name))
	t.Cleanup(func() {
		c.PowerOff(context.WithoutCancel(t.Context()), name)
		c.Undefine(context.WithoutCancel(t.Context()), name)
	})
}

func count(t *testing.T, task *Task, h module.Host) string {
	t.Helper()
	values, err := module.Outputs(t.Context(), task, h)
	must(t, err)
	return values["count"].GoString()
}

func TestSweepPassesTheSuite(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "suite")
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New:  func() module.Task { return &Task{All: true, Keep: []string{t.Name() + "-a"}, open: openTest} },
	})
}

func TestAllRemovesWhatTheOwnerHas(t *testing.T) {
	t.Parallel()
	h, c := lab(t, "sweep-all")
	task := &Task{All: true, open: openTest}
	moduletest.Same(t, "count before", count(t, task, h), "cty.NumberIntVal(6)")
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{
		"remove domain " + t.Name() + "-a", "remove domain " + t.Name() + "-b", "remove the logs of domain gone",
		"remove volume /images/b.qcow2", "remove volume /images/a.iso", "remove volume /images/a.qcow2",
	})
	moduletest.Same(t, "count after", count(t, task, h), "cty.NumberIntVal(0)")

	if _, found, err := c.Find(t.Context(), t.Name()+"-theirs"); err != nil || !found {
		t.Errorf("somebody else's domain: %v, %v", found, err)
	}
	for _, path := range []string{"/images/a.qcow2", "/images/a.iso", virt.ConsoleLog("gone"), virt.ConsoleLog(t.Name() + "-a")} {
		if _, there := h.FS.Text(path); there {
			t.Errorf("%s is still there", path)
		}
	}
	if _, there := h.FS.Text("/images/base.qcow2"); !there {
		t.Error("an image without a mark is gone")
	}
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: "/etc/motd"})
}

func TestWhatIsKeptStays(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "sweep-keep")
	task := &Task{
		Keep: []string{t.Name() + "-a", "gone"}, KeepVolumes: []string{"/images/a.qcow2", "/images/a.iso"}, open: openTest,
	}
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"remove domain " + t.Name() + "-b", "remove volume /images/b.qcow2"})
	moduletest.Same(t, "steps again", moduletest.Do(t, task, h), []string(nil))
	moduletest.Same(t, "count", count(t, task, h), "cty.NumberIntVal(4)")
	if _, there := h.FS.Text(virt.ConsoleLog(t.Name() + "-a")); !there {
		t.Error("the log of a domain that is kept is gone")
	}
}

// A copy that somebody made, for forensics, has the cluster's metadata and is not the
// cluster's.
func TestACloneThatSomebodyMadeIsNotTheClusters(t *testing.T) {
	t.Parallel()
	c, err := virt.OpenTest(t.Context())
	must(t, err)
	t.Cleanup(func() { c.Close() })
	h := moduletest.NewFakeHost(t, "clones")
	h.SetInstance("MINE")
	name, copied, other, old := t.Name()+"-node", t.Name()+"-copy", t.Name()+"-other", t.Name()+"-old"
	text := definition(t, "clones.MINE", name)
	start(t, c, name, text)
	clone(t, c, text, copied)
	define(t, c, "clones.OTHER", other)
	define(t, c, "clones", old)
	for _, task := range []*Task{{Keep: []string{name}, open: openTest}, {All: true, open: openTest}} {
		want := []string(nil)
		if task.All {
			want = []string{"remove domain " + name}
		}
		moduletest.Same(t, "steps", moduletest.Do(t, task, h), want)
		moduletest.Same(t, "what is said", task.MessageText(), "domain "+copied+" is left alone: it is a copy of one of cluster clones\n"+
			"domain "+old+" is left alone: another cluster clones made it\n"+
			"domain "+other+" is left alone: another cluster clones made it")
	}
	const another = " but by another clones"
	for name, whose := range map[string]string{copied: " (it is a copy of a domain that kinit made)", other: another, old: another} {
		if d, found, err := c.Find(t.Context(), name); err != nil || !found || d.State != virt.Running {
			t.Errorf("domain %s: %v, %v, %s", name, found, err, d.State)
		}
		err := c.Remove(t.Context(), h, name)
		want := "domain " + name + " exists on fake and is not owned by cluster clones" + whose + `: choose another name, or remove it with "virsh undefine" if nothing needs it`
		if err == nil || err.Error() != want {
			t.Errorf("removed: %v, want %s", err, want)
		}
	}
}

func TestWithoutAnOwnerNothingIsRemoved(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	moduletest.Same(t, "steps", moduletest.Do(t, &Task{All: true, open: openTest}, h), []string(nil))
}

func TestWithoutLibvirtOnlyFilesAreRemoved(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	must(t, h.Own(t.Context(), virt.VolumeMark("/images/a.qcow2")))
	task := Kind().New().(*Task)
	task.All = true
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"remove volume /images/a.qcow2"})
}

func TestLibvirtThatDoesNotAnswerIsAnError(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/libvirt/qemu/k8s-controller-01.xml", "", 0o600)
	if _, err := Kind().New().Plan(t.Context(), h); !errors.Is(err, virt.ErrNotRunning) {
		t.Errorf("got %v, want %v", err, virt.ErrNotRunning)
	}
}

func TestDomainsAndDisksAreRemovalsThatMustBeNamed(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "removals")
	for all, keep := range map[bool][]string{false: {t.Name() + "-a"}, true: nil} {
		steps, err := (&Task{open: openTest, All: all, Keep: keep, KeepVolumes: []string{"/images/a.qcow2"}}).Plan(t.Context(), h)
		must(t, err)
		want := []module.Removed{{Kind: "domain", Name: t.Name() + "-b"}, {Kind: "volume", Name: "/images/b.qcow2"}}
		if all {
			want = []module.Removed{{Kind: "domain", Name: t.Name() + "-a", All: true}, {Kind: "domain", Name: t.Name() + "-b", All: true},
				{Kind: "volume", Name: "/images/b.qcow2", All: true}, {Kind: "volume", Name: "/images/a.qcow2", All: true}}
		}
		// The seed /images/a.iso is written again; it holds no data.
		if diff := cmp.Diff(want, module.Removals(steps)); diff != "" {
			t.Errorf("all = %v (-want +got):\n%s", all, diff)
		}
	}
}

package volume

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/virt"
)

// lab is this machine with a base image of 1GiB in the host's own folder.
func lab(t *testing.T, owner string) (*moduletest.Local, string) {
	t.Helper()
	need.Programs(t, "qemu-img", "qemu-img")
	h := moduletest.LocalHost(t, owner)
	base := h.Path("base.img")
	qemuImg(t, "create", "-q", "-f", "qcow2", base, "1G")
	return h, base
}

func qemuImg(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("qemu-img", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("qemu-img %v: %v: %s", args, err, out)
	}
	return string(out)
}

// node is an overlay of 2GiB.
func node(h *moduletest.Local, base string) *Task {
	task := Kind().New().(*Task)
	task.Name, task.Dir, task.Backing, task.Size = "node", h.Dir, base, "2GiB"
	return task
}

// refused plans and compares the error.
func refused(t *testing.T, task *Task, h module.Host, want string) {
	t.Helper()
	if _, err := task.Plan(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestOverlayPassesTheSuite(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return node(h, base) },
		Absent: func() module.Task { n := node(h, base); n.State = "absent"; return n },
	})
}

func TestEmptyVolumePassesTheSuiteWithoutAnOwner(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "")
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return node(h, "") },
		Absent: func() module.Task { n := node(h, ""); n.State = "absent"; return n },
	})
}

func TestOverlayIsMadeAsAsked(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	task := node(h, base)
	path := h.Path("node.qcow2")
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"create volume " + path + " of 2GiB on " + base})
	have, err := inspect(t.Context(), h, path)
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "image", have, image{Exists: true, Format: "qcow2", Size: 2 << 30, Backing: base})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	moduletest.Marks(t, h, virt.VolumeMark(path))
	values := moduletest.Outputs(t, task, h)
	moduletest.Same(t, "path", values["path"].GoString(), `cty.StringVal("`+path+`")`)
	moduletest.Same(t, "size", values["size_bytes"].GoString(), "cty.NumberIntVal(2.147483648e+09)")
}

func TestFormatOfTheBaseImageIsRead(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "k8s")
	raw := h.Path("raw.img")
	qemuImg(t, "create", "-q", "-f", "raw", raw, "64M")
	task := node(h, raw)
	task.Size = ""
	moduletest.Do(t, task, h)
	if got := qemuImg(t, "info", "--output=json", task.path()); !strings.Contains(got, `"backing-filename-format": "raw"`) {
		t.Errorf("qemu-img info: %s", got)
	}
	have, err := inspect(t.Context(), h, task.path())
	if err != nil || have.Size != 64<<20 {
		t.Errorf("size %d, %v; want that of the base image", have.Size, err)
	}
}

func TestSizeIsRoundedUpToASector(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "k8s")
	task := node(h, "")
	task.Size = "1.0001MB"
	moduletest.Do(t, task, h)
	have, err := inspect(t.Context(), h, task.path())
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "size", have.Size, int64(1_000_448))
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string(nil))
}

func TestVolumeGrowsAndKeepsItsContent(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	task := node(h, base)
	moduletest.Do(t, task, h)
	write(t, task.path(), "0xab")
	task.Size = "3GiB"
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"grow volume " + task.path() + " from 2GiB to 3GiB"})
	moduletest.Same(t, "steps again", moduletest.Do(t, task, h), []string(nil))
	need.Programs(t, "qemu-img", "qemu-io")
	out, err := exec.Command("qemu-io", "-c", "read -P 0xab 0 4k", task.path()).CombinedOutput()
	if err != nil || strings.Contains(string(out), "failed") {
		t.Errorf("the content is lost: %s", out)
	}
}

func TestVolumeInUseIsReadAndDoesNotGrow(t *testing.T) {
	t.Parallel()
	need.Programs(t, "qemu-img", "qemu-io")
	h, base := lab(t, "k8s")
	task := node(h, base)
	moduletest.Do(t, task, h)
	inUse(t, task.path())
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string(nil))
	task.Size = "3GiB"
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v; want one", steps, err)
	}
	want := "grow volume " + task.path() + ", which its domain must not use meanwhile: stop the domain first: "
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want it to begin with %s", err, want)
	}
}

// inUse opens an image for writing, as a running domain does, until the test
// ends.
func inUse(t *testing.T, path string) {
	t.Helper()
	user := exec.Command("qemu-io", path)
	in, err := user.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := user.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); user.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil { // the prompt
		t.Fatal(err)
	}
}

func write(t *testing.T, path, pattern string) {
	t.Helper()
	need.Programs(t, "qemu-img", "qemu-io")
	if out, err := exec.Command("qemu-io", "-c", "write -P "+pattern+" 0 4k", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestWhatCannotChangeIsRefused(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	other := h.Path("other.img")
	qemuImg(t, "create", "-q", "-f", "qcow2", other, "1G")
	made := node(h, base)
	moduletest.Do(t, made, h)
	const recreate = `: recreate it, with state = "absent" first; its content is lost`

	task := node(h, other)
	refused(t, task, h, "volume "+made.path()+" is made on "+base+", want "+other+recreate)
	task = node(h, "")
	refused(t, task, h, "volume "+made.path()+" is made on "+base+", want no base image"+recreate)
	task = node(h, base)
	task.Size = "1GiB"
	refused(t, task, h, "volume "+made.path()+" has 2GiB and cannot shrink to 1GiB"+recreate)
}

func TestSizeBelowTheBaseImageIsRefused(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	task := node(h, base)
	task.Size = "512MiB"
	refused(t, task, h, "size 512MiB of volume "+task.path()+" is less than the 1GiB of its base image "+base+": ask for at least that")
}

func TestMissingBaseImageFailsOnlyTheStep(t *testing.T) {
	t.Parallel()
	h, _ := lab(t, "k8s")
	task := node(h, "/nowhere/base.img")
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v; want one", steps, err)
	}
	want := "base image /nowhere/base.img of volume " + task.path() + " does not exist: download or copy it first, on localhost"
	if err := steps[0].Do(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	marks, err := h.Marks(t.Context())
	if err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v; want none", marks, err)
	}
}

// interrupted returns a host with what an interrupted creation leaves, and its task.
func interrupted(t *testing.T) (*moduletest.Local, *Task) {
	t.Helper()
	h, base := lab(t, "k8s")
	task := node(h, base)
	if err := h.Own(t.Context(), virt.VolumeMark(task.path())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(virt.Part(task.path()), []byte("half an image"), 0o600); err != nil {
		t.Fatal(err)
	}
	return h, task
}

func TestInterruptedCreationIsMadeAgain(t *testing.T) {
	t.Parallel()
	h, task := interrupted(t)
	moduletest.Same(t, "steps", len(moduletest.Do(t, task, h)), 1)
	moduletest.Same(t, "steps again", moduletest.Do(t, task, h), []string(nil))
	left, err := filepath.Glob(h.Path("*.part"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v; want nothing", left, err)
	}
}

func TestRemainsOfAnInterruptedCreationAreRemoved(t *testing.T) {
	t.Parallel()
	h, task := interrupted(t)
	task.State = "absent"
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"remove what is left of volume " + task.path()})
	if _, err := os.Stat(virt.Part(task.path())); !os.IsNotExist(err) {
		t.Errorf("part: %v, want none", err)
	}
	moduletest.Same(t, "steps again", moduletest.Do(t, task, h), []string(nil))
}

func TestImageOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	task := node(h, base)
	qemuImg(t, "create", "-q", "-f", "qcow2", task.path(), "2G")
	for _, state := range []string{"present", "absent"} {
		task.State = state
		refused(t, task, h, task.path()+" exists on localhost and is not owned by cluster k8s: "+
			"choose another name or dir, or remove it yourself if nothing needs it")
	}
}

func TestBrokenVolumeCanBeRemoved(t *testing.T) {
	t.Parallel()
	h, base := lab(t, "k8s")
	task := node(h, base)
	moduletest.Do(t, task, h)
	if err := os.Remove(base); err != nil {
		t.Fatal(err)
	}
	task.State = "absent"
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"remove volume " + task.path()})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments":      {change: func(*Task) {}},
		"name with a slash":   {change: func(v *Task) { v.Name = "../a" }, want: `name "../a": expected letters, digits, '.', '-' and '_'`},
		"unknown state":       {change: func(v *Task) { v.State = "gone" }, want: `state is "gone", want one of present, absent`},
		"relative folder":     {change: func(v *Task) { v.Dir = "images" }, want: `dir "images": expected an absolute path`},
		"relative base":       {change: func(v *Task) { v.Backing = "a" }, want: `backing "a": expected an absolute path`},
		"no size at all":      {change: func(v *Task) { v.Size = "" }, want: `size is empty: expected a size such as "25GiB", or a backing image`},
		"size of the base":    {change: func(v *Task) { v.Size, v.Backing = "", "/base" }},
		"absent needs a name": {change: func(v *Task) { v.Size, v.State = "", "absent" }},
		"size without unit": {change: func(v *Task) { v.Size = "25" },
			want: `size: "25" is not a number with a unit such as MiB, GiB or GB`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := Kind().New().(*Task)
			task.Name, task.Size = "node", "25GiB"
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}

package fetch

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, size := range []int{5, 3 << 20} {
		h, dest := moduletest.LocalHost(t, "demo"), filepath.Join(t.TempDir(), "made", "for", "it")
		text := strings.Repeat("x", size)
		put(t, h.Path("f"), text)
		moduletest.Run(t, moduletest.Case{
			New:  func() module.Task { return task(t, h.Path("f"), dest) },
			Host: h,
			Snapshot: func() string {
				content, _ := os.ReadFile(dest)
				return string(content)
			},
		})
		content, err := os.ReadFile(dest)
		info, statErr := os.Stat(dest)
		if string(content) != text || err != nil || statErr != nil || info.Mode() != 0o600 {
			t.Errorf("%d bytes, %v, mode %v, %v, want %d with 0600", len(content), err, info.Mode(), statErr, size)
		}
		if entries, err := os.ReadDir(filepath.Dir(dest)); len(entries) != 1 || err != nil {
			t.Errorf("in the folder: %v, %v, want the file alone", entries, err)
		}
		moduletest.Marks(t, h)
		if size > 5 && h.Reports()[0] != (event.Progress{Text: "fetch " + h.Path("f"), Done: 1 << 20, Total: 3 << 20}) {
			t.Errorf("progress %v", h.Reports()[0])
		}
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	h, folder := moduletest.NewFakeHost(t, ""), t.TempDir()
	h.FS.Put("/d/f", "new", 0o644)
	put(t, filepath.Join(folder, "same"), "new")
	put(t, filepath.Join(folder, "other"), "old")
	put(t, filepath.Join(folder, "shorter"), "ne")
	if err := os.Symlink("same", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ source, dest, args, want string }{
		{"/d/f", "same", "", ""},
		{"/d/f", "same", `mode = "0644"`, "set FOLDER/same: mode 0600 to 0644"},
		{"/d/f", "other", "", "fetch /d/f to FOLDER/other"},
		{"/d/f", "shorter", "", "fetch /d/f to FOLDER/shorter"},
		{"/d/f", "none", "", "fetch /d/f to FOLDER/none"},
		{"/d/f", "link", "", "dest is FOLDER/link, which is a link, a device or a pipe here: name a regular file"},
		{"/d/f", "pipe", "", "dest is FOLDER/pipe, which is a link, a device or a pipe here: name a regular file"},
		{"/d/f", "", "", "dest is FOLDER, which is a folder here, want a file or nothing there"},
		{"/d/none", "x", "", "/d/none does not exist on " + h.Name() + ": set optional = true if it may be missing"},
		{"/d/none", "x", "optional = true", ""},
		{"/d", "x", "", "/d is no regular file, want one file"},
	} {
		made := task(t, c.source, strings.TrimSuffix(folder+"/"+c.dest, "/"), c.args)
		got := strings.ReplaceAll(moduletest.Planned(t.Context(), made, h), folder, "FOLDER")
		if got != c.want {
			t.Errorf("%s to %s: %q, want %q", c.source, c.dest, got, c.want)
		}
	}
}

// A user who owns the folder of dest can put a link or a pipe in the place of the copy between a
// plan and its step.
func TestWhatTakesThePlaceOfTheCopyIsNotChangedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	h, folder := moduletest.NewFakeHost(t, ""), t.TempDir()
	h.FS.Put("/f", "hello", 0o644)
	dest, other := filepath.Join(folder, "copy"), filepath.Join(folder, "other")
	put(t, dest, "hello")
	put(t, other, "hello")
	made := task(t, "/f", dest, `mode = "0644"`)
	steps, err := made.Plan(t.Context(), h)
	if len(steps) != 1 || err != nil {
		t.Fatalf("steps %v, %v, want one", steps, err)
	}
	for _, err := range []error{os.Remove(dest), os.Symlink(other, dest)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err = steps[0].Do(t.Context(), h)
	if info, statErr := os.Stat(other); statErr != nil || info.Mode() != 0o600 || err == nil {
		t.Errorf("the file behind the link has mode %v, %v; error %v, want 0600 and an error", info.Mode(), statErr, err)
	}
	for _, err := range []error{os.Remove(dest), syscall.Mkfifo(dest, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := made.Outputs(t.Context(), h); err == nil || err.Error() != dest+" is no regular file any more" {
		t.Errorf("error %v", err)
	}
}

// named is a host with a name from a foreign inventory.
type named struct {
	*moduletest.FakeHost
	name string
}

func (h named) Name() string { return h.name }

func TestANameOfAHostLeadsToNoOtherFolder(t *testing.T) {
	t.Parallel()
	fake, folder := moduletest.NewFakeHost(t, ""), t.TempDir()
	fake.FS.Put("/f", "hello", 0o644)
	for name, want := range map[string]string{
		"web1.example":    "fetch /f to FOLDER/web1.example/f",
		"../../etc":       `dest has the name of the host "../../etc", which leads to another folder: name the host otherwise in the inventory, or use another dest`,
		"..":              `dest has the name of the host "..", which leads to another folder: name the host otherwise in the inventory, or use another dest`,
		"/etc/cron.d":     `dest has the name of the host "/etc/cron.d", which leads to another folder: name the host otherwise in the inventory, or use another dest`,
		"2001:db8::1":     "fetch /f to FOLDER/2001:db8::1/f",
		"rack1/../../web": `dest has the name of the host "rack1/../../web", which leads to another folder: name the host otherwise in the inventory, or use another dest`,
	} {
		got := moduletest.Planned(t.Context(), task(t, "/f", folder+"/"+name+"/f"), named{FakeHost: fake, name: name})
		if got = strings.ReplaceAll(got, folder, "FOLDER"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	beside := task(t, "/f", folder+"/token-a/../../etc.txt")
	if got := moduletest.Planned(t.Context(), beside, named{FakeHost: fake, name: "a/../../etc"}); !strings.HasPrefix(got, "dest has the name of the host ") {
		t.Errorf("%q, want an error about the name", got)
	}
	// The name is not in dest, or leads further down.
	for _, dest := range []string{folder + "/../" + filepath.Base(folder) + "/x", folder + "/rack1/web1/x"} {
		if got := moduletest.Planned(t.Context(), task(t, "/f", dest), named{FakeHost: fake, name: "rack1/web1"}); got != "fetch /f to "+dest {
			t.Errorf("%q", got)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	h, dest := moduletest.NewFakeHost(t, ""), filepath.Join(t.TempDir(), "f")
	h.FS.Put("/f", "hello", 0o644)
	made := task(t, "/f", dest)
	moduletest.WantOutputs(t, made, h, map[string]cty.Value{"path": cty.StringVal(dest), "sha256": cty.StringVal(""), "size": cty.NumberIntVal(0)})
	moduletest.Do(t, made, h)
	moduletest.WantOutputs(t, made, h, map[string]cty.Value{"path": cty.StringVal(dest), "size": cty.NumberIntVal(5),
		"sha256": cty.StringVal("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")})
}

func TestDestIsRelativeToTheWorkingFolderOrHome(t *testing.T) {
	t.Parallel()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cwd, dest, want string }{
		{"", "a/b", folder + "/a/b"}, {"/work", "a/b", "/work/a/b"}, {"/work", "/a/b", "/a/b"}, {"/work", "~/a", "/home/ann/a"},
	} {
		made := &Task{Dest: c.dest}
		made.From(c.cwd, "/home/ann")
		if got, err := made.dest(); got != c.want || err != nil {
			t.Errorf("%s from %q: %q, %v, want %q", c.dest, c.cwd, got, err, c.want)
		}
	}
	if _, err := (&Task{Dest: "~/a"}).dest(); err == nil || err.Error() != "dest: your home folder is not known: set HOME, or give an absolute path" {
		t.Errorf("without a home folder: %v", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, task(t, "f", "g"), `source is "f", want an absolute path`)
	moduletest.Refused(t, task(t, "/f", ""), `dest is empty, want the file on the machine that kinit runs on`)
	moduletest.Refused(t, task(t, "/d/f", "out/"), `dest is "out/", want the path of a file, such as "out/${host.name}/f"`)
	moduletest.Refused(t, task(t, "/f", "~ann/f"), `dest is "~ann/f", want "~/" for your home folder`)
	moduletest.Refused(t, task(t, "/f", "g", `mode = "9"`), `mode is "9", want octal permission bits from "0001" to "0777", such as "0644"`)
}

func task(t *testing.T, source, dest string, args ...string) *Task {
	t.Helper()
	all := append([]string{`source = "` + source + `"`, `dest = "` + dest + `"`}, args...)
	return moduletest.Decode(t, Kind(), strings.Join(all, "\n")).(*Task)
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

package sweep_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/copy"
	"kinit/modules/download"
	"kinit/modules/file"
	"kinit/modules/htpasswd"
	"kinit/modules/line_in_file"
	"kinit/modules/sweep"
)

// made is a local machine with a folder, in which tasks have made files.
func made(t *testing.T) (*moduletest.Local, map[string]string) {
	t.Helper()
	h := moduletest.LocalHost(t, "demo")
	source := h.Path("source")
	write(t, source, "downloaded\n")
	files := map[string]string{}
	do := func(kind module.Kind, name, args string) {
		files[name] = h.Path(name)
		for _, argument := range []string{"dest", "path"} {
			args = strings.ReplaceAll(args, argument+" = X", argument+" = \""+h.Path(name)+"\"")
		}
		moduletest.Settle(t, moduletest.Decode(t, kind, args), h)
	}
	do(copyfile.Kind(), "copy", "dest = X\ncontent = \"one\\n\"")
	do(copyfile.Kind(), "copy", "dest = X\ncontent = \"two\\n\"")
	do(file.Kind(), "file", "path = X\nstate = \"present\"")
	do(file.LinkKind(), "link", "path = X\ntarget = \"elsewhere\"")
	do(htpasswd.Kind(), "htpasswd", "path = X\nuser = \"a\"\npassword = \"secret-1\"")
	do(htpasswd.Kind(), "htpasswd", "path = X\nuser = \"b\"\npassword = \"secret-2\"")
	do(lineinfile.Kind(), "line", "path = X\nline = \"one\"\ncreate = true")
	do(lineinfile.Kind(), "line", "path = X\nline = \"two\"\ncreate = true")
	do(download.Kind(), "download", "dest = X\nunverified = true\nurl = \"file://"+source+"\"")
	write(t, h.Path("replaced"), "of somebody\n")
	do(copyfile.Kind(), "replaced", "dest = X\ncontent = \"new\\n\"\nbackup = true")
	return h, files
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// removals returns what a sweep removes that must be named.
func removals(t *testing.T, h module.Host, change func(*sweep.Task)) []module.Removed {
	t.Helper()
	steps, err := task(change).Plan(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return module.Removals(steps)
}

func TestFileAsKinitWroteItNeedsNoName(t *testing.T) {
	t.Parallel()
	h, files := made(t)
	if got := removals(t, h, nil); len(got) > 0 {
		t.Errorf("to be named are %v, want none", got)
	}
	moduletest.Settle(t, task(nil), h)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if _, there := os.Lstat(name); there == nil && string(text) != "of somebody\n" {
			t.Errorf("%s is still there: %q, %v", name, text, err)
		}
	}
}

func TestFileThatSomebodyEditedIsARemovalThatMustBeNamed(t *testing.T) {
	t.Parallel()
	h, files := made(t)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil { // as editors replace files
			t.Fatal(err)
		}
		write(t, name, string(text)+"edited\n")
	}
	want := []module.Removed{
		{Kind: "edited file", Name: files["replaced"]}, {Kind: "edited download", Name: files["download"]}, {Kind: "edited file", Name: files["line"]},
		{Kind: "edited file", Name: files["htpasswd"]}, {Kind: "edited file", Name: files["link"]}, {Kind: "edited file", Name: files["file"]}, {Kind: "edited file", Name: files["copy"]},
	}
	if diff := cmp.Diff(want, removals(t, h, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	keep := func(s *sweep.Task) { s.Keep = []string{files["replaced"], files["line"]} }
	if got := removals(t, h, keep); len(got) != 5 {
		t.Errorf("with keep %v", got)
	}
	if got := removals(t, h, all); len(got) > 0 { // the clean-up names all that the owner has
		t.Errorf("a clean-up lists %v", got)
	}
}

// A task that changes its own part of a file leaves what somebody has added, which is lost then if the file is removed.
func TestTaskThatEditsAnEditedFileDoesNotTakeItForItsOwn(t *testing.T) {
	t.Parallel()
	h, files := made(t)
	for _, name := range []string{files["line"], files["htpasswd"]} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, string(text)+"edited:x\n")
	}
	moduletest.Settle(t, moduletest.Decode(t, lineinfile.Kind(), "path = \""+files["line"]+"\"\nline = \"three\""), h)
	moduletest.Settle(t, moduletest.Decode(t, htpasswd.Kind(), "path = \""+files["htpasswd"]+"\"\nuser = \"c\"\npassword = \"secret-3\""), h)
	want := []module.Removed{{Kind: "edited file", Name: files["line"]}, {Kind: "edited file", Name: files["htpasswd"]}}
	if diff := cmp.Diff(want, removals(t, h, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFolderThatTookThePlaceOfAFileStays(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*sweep.Task){nil, all} {
		h, files := made(t)
		for _, name := range files {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(name, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, name+"/precious", "x")
		}
		moduletest.Settle(t, task(change), h)
		for _, name := range files {
			if _, err := os.Stat(name + "/precious"); err != nil {
				t.Error(err)
			}
		}
	}
}

// A folder is not kinit's alone because its name has "kinit" in it.
func TestForeignFileInAFolderOfAPlaybookStays(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sweep.Task){"a sweep": nil, "a clean-up": all} {
		h := host(t)
		for _, dir := range []string{"/srv/kinit", "/opt/kinit/k8s", "/etc/kinit/k8s/conf.d"} {
			moduletest.Settle(t, moduletest.Decode(t, file.DirectoryKind(), "path = \""+dir+"\""), h)
			h.FS.Put(dir+"/other", "by hand", 0o644)
		}
		sweeping := task(change)
		moduletest.Settle(t, sweeping, h)
		if _, err := sweeping.Outputs(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"/srv/kinit", "/opt/kinit/k8s", "/etc/kinit/k8s/conf.d"} {
			if text, _ := h.FS.Text(dir + "/other"); text != "by hand" {
				t.Errorf("%s: %s/other is %q", name, dir, text)
			}
			if want := "folder " + dir + " stays: kinit did not make other in it"; !strings.Contains(sweeping.MessageText(), want) {
				t.Errorf("%s: the message is %q, want %q in it", name, sweeping.MessageText(), want)
			}
		}
	}
}

// The mark is that of the module windows_image with keep.
func TestWindowsImageStaysUntilItIsPurgedAndNoDiskIsBasedOnIt(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	image, disk := h.Path("win2025.qcow2"), h.Path("guest.qcow2")
	header := make([]byte, 104)
	copy(header, "QFI\xfb\x00\x00\x00\x03")
	header[15], header[18], header[19] = 104, byte(len(image)>>8), byte(len(image))
	mark := module.Mark{Kind: "file", ID: image, Keep: true}
	purge := func(s *sweep.Task) { s.All, s.Purge = true, true }
	for _, c := range []struct {
		name   string
		change func(*sweep.Task)
		based  bool
		stays  bool
	}{
		{"the task is no longer declared", nil, false, true},
		{"a clean-up", all, false, true},
		{"a purge, and a guest's disk needs it", purge, true, true},
		{"a purge", purge, false, false},
	} {
		write(t, image, "image")
		if err := h.Own(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(disk); err != nil {
			t.Fatal(err)
		}
		if c.based {
			write(t, disk, string(header)+image+strings.Repeat("\x00", 512))
		}
		moduletest.Settle(t, task(c.change), h)
		if _, err := os.Stat(image); (err == nil) != c.stays {
			t.Errorf("%s: %v, want that it stays: %v", c.name, err, c.stays)
		}
	}
}

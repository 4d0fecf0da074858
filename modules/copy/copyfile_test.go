package copyfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := moduletest.LocalHost(t, owner)
		moduletest.Run(t, moduletest.Case{
			New:    func() module.Task { return task(t, h.Path("f"), `content = "hello\n"`, `mode = "0640"`) },
			Absent: func() module.Task { return task(t, h.Path("f"), `state = "absent"`) },
			Host:   h,
		})
		moduletest.Marks(t, h)
	}
}

func TestSuiteWithSecret(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.FS.Put("/etc/token", "old", 0o644)
	if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "/etc/token"}); err != nil {
		t.Fatal(err)
	}
	moduletest.Run(t, moduletest.Case{
		New:     func() module.Task { return task(t, "/etc/token", `content_secret = "opensesame"`) },
		Host:    h,
		Secrets: []secret.Value{"opensesame"},
	})
	if info, err := h.FS.Stat(t.Context(), "/etc/token"); err != nil || info.Mode != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode, err)
	}
	if got := h.Redact("token opensesame"); got != "token ***" {
		t.Errorf("the host does not know the secret: %s", got)
	}
}

func TestSuiteWithSourceAndValidation(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	source := filepath.Join(t.TempDir(), "big")
	write(t, source, strings.Repeat("0123456789abcdef", 3<<16)) // 3 MiB
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(t, h.Path("f"), `source = "`+source+`"`, `validate = ["test", "-s", "%s"]`)
		},
		Absent: func() module.Task { return task(t, h.Path("f"), `state = "absent"`) },
		Host:   h,
	})
	want := []event.Progress{
		{Text: "send " + h.Path("f"), Done: 1 << 20, Total: 3 << 20},
		{Text: "send " + h.Path("f"), Done: 2 << 20, Total: 3 << 20},
		{Text: "send " + h.Path("f"), Done: 3 << 20, Total: 3 << 20},
	}
	got := h.Reports()
	if len(got) < 3 || cmp.Diff(want, got[:3]) != "" {
		t.Errorf("progress %v, want it to begin with %v", got, want)
	}
}

func TestSuiteWithASourceOnTheHost(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"a text": "apiVersion: v1\n", "more than is shown": strings.Repeat("0123456789abcdef", 3<<16)} {
		for _, owner := range []string{"", "demo"} {
			h := moduletest.LocalHost(t, owner)
			write(t, h.Path("from"), text)
			if err := errors.Join(os.Chmod(h.Path("from"), 0o600), os.Symlink("from", h.Path("link"))); err != nil {
				t.Fatal(err)
			}
			moduletest.Run(t, moduletest.Case{
				New:     func() module.Task { return task(t, h.Path("f"), `host_source = "`+h.Path("link")+`"`) },
				Absent:  func() module.Task { return task(t, h.Path("f"), `state = "absent"`) },
				Host:    h,
				Secrets: []secret.Value{"apiVersion"},
			})
			moduletest.Do(t, task(t, h.Path("f"), `host_source = "`+h.Path("link")+`"`), h)
			got, err := os.ReadFile(h.Path("f"))
			info, statErr := os.Stat(h.Path("f"))
			if string(got) != text || err != nil || statErr != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %d bytes, mode %v, %v, %v, want those of the source with 0600", name, len(got), info.Mode(), err, statErr)
			}
		}
	}
}

func TestSourceOnTheHostIsComparedAgain(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	made := task(t, "/f", `host_source = "/from"`)
	if got, want := moduletest.Planned(t.Context(), made, h), "host_source: /from does not exist on "+h.Name()+": download or copy it first"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	h.FS.Put("/from", "new\n", 0o644)
	h.FS.Put("/f", "old\n", 0o644)
	if got, want := moduletest.Planned(t.Context(), made, h), "change /f\n--- /f\n+++ /f\n@@ -1,1 +1,1 @@\n-old\n+new"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	moduletest.Do(t, made, h)
	h.FS.Put("/from", "new\n", 0o755)
	if got, want := moduletest.Planned(t.Context(), made, h), "set /f: mode 0644 to 0755"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := moduletest.Planned(t.Context(), task(t, "/f", `host_source = "/"`), h), "host_source: / is no regular file, want one file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSuiteWithBackupPutsTheOriginalBack(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	path := h.Path("hosts")
	write(t, path, "original\n")
	before := h.Snapshot()
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return task(t, path, `content = "mine\n"`, `backup = true`) },
		Absent: func() module.Task { return task(t, path, `backup = true`, `state = "absent"`) },
		Host:   h,
	})
	if got := read(t, path); got != "original\n" {
		t.Errorf("content %q, want the original; before:\n%s", got, before)
	}
	moduletest.Marks(t, h)
}

func TestBackupIsOfTheFirstContentAndMarked(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.FS.Put("/etc/hosts", "original\n", 0o640)
	for _, content := range []string{"one", "two"} {
		if got := moduletest.Apply(t, task(t, "/etc/hosts", `content = "`+content+`"`, `backup = true`), h); got != "" {
			t.Fatal(got)
		}
	}
	kept, _ := h.FS.Text("/etc/hosts.kinit-backup")
	now, _ := h.FS.Text("/etc/hosts")
	if kept != "original\n" || now != "two" {
		t.Errorf("kept %q, now %q", kept, now)
	}
	if info, err := h.FS.Stat(t.Context(), "/etc/hosts"); err != nil || info.Mode != 0o640 {
		t.Errorf("mode %v, %v, want it as it was", info.Mode, err)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: "/etc/hosts", Prior: "/etc/hosts.kinit-backup"})
}

func TestInterruptedRestoreNeverRemovesTheOriginal(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.FS.Put("/etc/hosts", "original\n", 0o644)
	// The backup was moved back, the mark is still there.
	if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "/etc/hosts", Prior: "/etc/hosts.kinit-backup"}); err != nil {
		t.Fatal(err)
	}
	if got := moduletest.Apply(t, task(t, "/etc/hosts", `backup = true`, `state = "absent"`), h); got != "" {
		t.Fatal(got)
	}
	if got, _ := h.FS.Text("/etc/hosts"); got != "original\n" {
		t.Errorf("content %q", got)
	}
	moduletest.Marks(t, h)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const diff = "\n--- /d/ours\n+++ /d/ours\n@@ -1,1 +1,1 @@\n-old\n+new"
	for _, c := range []struct{ name, dest, args, want string }{
		{"missing", "/d/new", `content = "x"`, "create /d/new"},
		{"missing, with attributes", "/d/new", "content = \"x\"\nmode = \"0600\"\ngroup = \"adm\"", "create /d/new, mode 0600, group adm"},
		{"same", "/d/ours", `content = "old\n"`, ""},
		{"same, foreign", "/d/other", `content = "old\n"`, ""},
		{"same, other mode", "/d/other", "content = \"old\\n\"\nmode = \"0600\"", "set /d/other: mode 0644 to 0600"},
		{"different", "/d/ours", `content = "new\n"`, "change /d/ours" + diff},
		{"different, other mode", "/d/ours", "content = \"new\\n\"\nmode = \"0755\"", "change /d/ours, mode 0644 to 0755" + diff},
		{"different, to be private", "/d/ours", "content = \"new\\n\"\nmode = \"0600\"", "change /d/ours, mode 0644 to 0600"},
		{"different, private until now", "/d/private", `content = "new\n"`, "change /d/private"},
		{"different, binary", "/d/ours", `content = "a\u0000b"`, "change /d/ours"},
		{"different, with a known secret", "/d/ours", `content = "hunter22\n"`, "change /d/ours" + strings.Replace(diff, "+new", "+***", 1)},
		{"different, foreign", "/d/other", `content = "new\n"`,
			"/d/other exists with other content and is not owned by cluster demo: " +
				"set backup = true to keep what is there and have cleanup put it back, or move it away"},
		{"different, foreign, with backup", "/d/other", "content = \"new\\n\"\nbackup = true",
			"change /d/other" + strings.ReplaceAll(diff, "ours", "other")},
		{"a link", "/d/link", "content = \"new\\n\"\nbackup = true", "replace link /d/link"},
		{"a folder", "/d", `content = "x"`, "/d is a folder, want a file or nothing there"},
		{"no source", "/d/new", `source = "/no/such/file"`, "source: stat /no/such/file: no such file or directory"},
		{"folder as source", "/d/new", `source = "/"`, "source: open /: no regular file, want one file"},
		{"absent, ours", "/d/ours", `state = "absent"`, "remove /d/ours"},
		{"absent, foreign", "/d/other", `state = "absent"`,
			"/d/other exists and is not owned by cluster demo: remove it yourself if nothing needs it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.NewFakeHost(t, "demo")
			h.AddSecret("hunter22")
			h.FS.Put("/d/ours", "old\n", 0o644)
			h.FS.Put("/d/other", "old\n", 0o644)
			h.FS.Put("/d/private", "old\n", 0o600)
			own(t, h, "/d/ours", "/d/private")
			if err := h.FS.Symlink(t.Context(), "other", "/d/link"); err != nil {
				t.Fatal(err)
			}
			if got := moduletest.Planned(t.Context(), task(t, c.dest, c.args), h); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRejectedContentLeavesTheFileAndSaysWhy(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	write(t, h.Path("f"), "good\n")
	got := moduletest.Apply(t, task(t, h.Path("f"), `content = "bad\n"`,
		`validate = ["sh", "-c", "echo line 1: no >&2; exit 1", "%s"]`), h)

	want := "new content of " + h.Path("f") + " is rejected by sh -c 'echo line 1: no >&2; exit 1' %s, the file is as before: " +
		"command ended with code 1: line 1: no\n$ sh -c 'echo line 1: no >&2; exit 1' "
	got, name, _ := strings.Cut(got, h.Path(".f.kinit-"))
	if got != want || !module.IsTemporaryName(".f.kinit-"+name, "f") {
		t.Errorf("error %q, want %q", got, want)
	}
	entries, err := os.ReadDir(h.Dir)
	if err != nil || len(entries) != 1 || read(t, h.Path("f")) != "good\n" {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

func TestValidatedFileKeepsItsMode(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	write(t, h.Path("f"), "one")
	if err := os.Chmod(h.Path("f"), 0o440); err != nil {
		t.Fatal(err)
	}
	if got := moduletest.Apply(t, task(t, h.Path("f"), `content = "two"`, `validate = ["grep", "-q", "two", "%s"]`), h); got != "" {
		t.Fatal(got)
	}
	info, err := os.Stat(h.Path("f"))
	if err != nil || info.Mode() != 0o440 || read(t, h.Path("f")) != "two" {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestMissingFolderIsNamed(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	got := moduletest.Apply(t, task(t, h.Path("no/f"), `content = "x"`), h)
	if want := "the folder of " + h.Path("no/f") + " is missing, make it with a directory task before"; !strings.HasPrefix(got, want) {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	moduletest.WantOutputs(t, task(t, "/f", `content = "hello\n"`), nil, map[string]cty.Value{
		"path":   cty.StringVal("/f"),
		"sha256": cty.StringVal("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"),
		"size":   cty.NumberIntVal(6),
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                 "want exactly one of content, content_base64, content_secret, source and host_source; null counts as left out",
		"content = \"x\"\nsource = \"/y\"": "want exactly one of content, content_base64, content_secret, source and host_source; null counts as left out",
		"content = \"x\"\nstate = \"x\"":   `state is "x", want one of present, absent`,
		"content = \"x\"\nvalidate = [\"visudo\"]": "validate names no file, want %s where the file's path belongs",
	} {
		moduletest.Refused(t, task(t, "/f", args), want)
	}
	if err := module.Check(task(t, "/f", `content = ""`)); err != nil {
		t.Errorf("empty content: %v", err)
	}
}

func task(t *testing.T, dest string, args ...string) *Task {
	t.Helper()
	all := append([]string{`dest = "` + dest + `"`}, args...)
	return moduletest.Decode(t, Kind(), strings.Join(all, "\n")).(*Task)
}

func own(t *testing.T, h module.Host, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: path}); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

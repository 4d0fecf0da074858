package blockinfile

import (
	"os"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/textedittest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	const hosts = "127.0.0.1 localhost\n"
	textedittest.Suite(t, hosts, hosts, 0o644,
		func(path string) module.Task {
			return task(t, path, `block = "192.0.2.1 a\n192.0.2.2 b\n"`, `backup = true`)
		},
		func(path string) module.Task { return task(t, path, `state = "absent"`) })
}

func TestFileOfASensitiveBlockIsPrivate(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	made := task(t, h.Path("f"), `block = "x"`, `create = true`)
	if !made.Hide("block") {
		t.Error("a sensitive block is not hidden")
	}
	if want, got := "create "+h.Path("f")+", mode 0600", moduletest.Planned(t.Context(), made, h); got != want {
		t.Errorf("planned %q, want %q", got, want)
	}
	if got := moduletest.Apply(t, made, h); got != "" {
		t.Fatal(got)
	}
	if info, err := os.Stat(h.Path("f")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v, want mode 0600", info, err)
	}
}

const block = "# BEGIN kinit block\nx\n# END kinit block\n"

func TestChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, args, want string }{
		{"no block", "a\nb\n", `block = "x"`, "a\nb\n" + block},
		{"empty file", "", `block = "x\n"`, block},
		{"same", "a\n" + block + "b", `block = "x\n"`, "a\n" + block + "b"},
		{"other, its place stays", "a\n# BEGIN kinit block\ny\nz\n# END kinit block\nb\n", "block = \"x\"\ninsert_before = \"^\"", "a\n" + block + "b\n"},
		{"at the beginning", "a\n", "block = \"x\"\ninsert_before = \"^\"", block + "a\n"},
		{"after", "a\nb\n", "block = \"x\"\ninsert_after = \"^a\"", "a\n" + block + "b\n"},
		{"another marker", block, "block = \"x\"\nmarker = \"; {mark} two\"", block + "; BEGIN two\nx\n; END two\n"},
		{"empty lines in it", "", `block = "x\n\n"`, "# BEGIN kinit block\nx\n\n# END kinit block\n"},
		{"absent", "a\n" + block + "b\n", `state = "absent"`, "a\nb\n"},
		{"absent already", "a", `state = "absent"`, "a"},
	} {
		textedittest.Change(t, c.name, task(t, "/f", c.args).change, c.text, c.want)
	}
}

func TestDamagedMarkingLinesAreLeftToPeople(t *testing.T) {
	t.Parallel()
	const begin, end = "# BEGIN kinit block\n", "# END kinit block\n"
	for _, text := range []string{begin, end, end + begin, begin + begin, block + end, block + block} {
		h := moduletest.NewFakeHost(t, "")
		h.FS.Put("/f", text, 0o644)
		want := `/f: want "# BEGIN kinit block" and "# END kinit block" once each, in this order: repair the marking lines by hand`
		for _, args := range []string{`block = "x"`, `state = "absent"`} {
			if got := moduletest.Planned(t.Context(), task(t, "/f", args), h); got != want {
				t.Errorf("%q with %s: %q, want %q", text, args, got, want)
			}
		}
	}
}

func TestBlockOfAnotherClusterIsKept(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.FS.Put("/f", "a\n"+block, 0o644)
	h.FS.Put("/var/lib/kinit/clusters/other/owned/file/%2Ff.json", `{"kind": "file", "id": "/f", "prior": "/f.kinit-backup", "seq": "1"}`, 0o600)
	want := `/f: the block that begins with "# BEGIN kinit block" belongs to cluster other: give this one another marker, as in "# {mark} of demo"`
	for _, args := range []string{"block = \"x\"\nbackup = true", "state = \"absent\"\nbackup = true"} {
		if got := moduletest.Planned(t.Context(), task(t, "/f", args), h); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	own := "block = \"x\"\nbackup = true\nmarker = \"# {mark} of demo\""
	moduletest.Settle(t, task(t, "/f", own), h)
	moduletest.Settle(t, task(t, "/f", own+"\ninsert_after = \"^a\""), h)
	moduletest.Settle(t, task(t, "/f", "block = \"y\"\nbackup = true\nmarker = \"# {mark} of demo\""), h)
	if got, _ := h.FS.Text("/f"); got != "a\n"+block+"# BEGIN of demo\ny\n# END of demo\n" {
		t.Errorf("the file is %q", got)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                       "block is empty, want the lines that should be there",
		`state = "absent"`:                       "",
		"block = \"x\"\nmarker = \"# kinit\"":    `marker is "# kinit", want one line with {mark} in it once`,
		"block = \"x\"\nmarker = \"{mark}\\n\"":  `marker is "{mark}\n", want one line with {mark} in it once`,
		`block = "a\n# END kinit block\n"`:       "block has one of its marking lines in it: give another marker",
		"block = \"x\"\nstate = \"gone\"":        `state is "gone", want one of present, absent`,
		"block = \"x\"\ninsert_after = \"[\"":    "insert_after is no regular expression: error parsing regexp: missing closing ]: `[`",
		"block = \"x\"\nvalidate = [\"visudo\"]": "validate names no file, want %s where the file's path belongs",
	} {
		moduletest.Refused(t, task(t, "/f", args), want)
	}
}

func task(t *testing.T, path string, args ...string) *Task {
	t.Helper()
	return textedittest.Task[*Task](t, Kind(), path, args...)
}

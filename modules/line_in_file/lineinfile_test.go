package lineinfile

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/test/textedittest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	textedittest.Suite(t, "a\nb\nc", "a\nc\n", 0o640, func(path string) module.Task {
		return task(t, path, `line = "b = 1"`, `match = "^b"`, `backup = true`, `validate = ["grep", "-q", "b = 1", "%s"]`)
	}, func(path string) module.Task { return task(t, path, `line = "b = 1"`, `state = "absent"`) })
}

func TestSuiteMakesASecretFile(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(t, h.Path("f"), `line = "token opensesame"`, `create = true`, `mode = "0600"`, `secret = true`)
		},
		Absent:  func() module.Task { return task(t, h.Path("f"), `match = "^token "`, `state = "absent"`) },
		Host:    h,
		Secrets: []secret.Value{"opensesame"},
	})
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: h.Path("f")})
}

func TestChange(t *testing.T) {
	t.Parallel()
	const text = "# x\na = 1\nb = 2\na = 3\n"
	for _, c := range []struct{ name, text, args, want string }{
		{"is there", text, `line = "b = 2"`, text},
		{"is there without an end", "x\ny", `line = "y"`, "x\ny"},
		{"is not there", text, `line = "c = 4"`, text + "c = 4\n"},
		{"empty file", "", `line = "c"`, "c\n"},
		{"after a line without an end", "x", `line = "c"`, "x\nc\n"},
		{"the last match is replaced", text, "line = \"a = 9\"\nmatch = \"^a\"", "# x\na = 1\nb = 2\na = 9\n"},
		{"the last match is it", text, "line = \"a = 3\"\nmatch = \"^a\"", text},
		{"no match", text, "line = \"c = 4\"\nmatch = \"^c\"", text + "c = 4\n"},
		{"match that the line itself is none of", text, "line = \"z\"\nmatch = \"^a\"", "# x\na = 1\nb = 2\nz\n"},
		{"such a line is there", "z\na = 1\n", "line = \"z\"\nmatch = \"^a\"", "z\na = 1\n"},
		{"after", text, "line = \"c\"\ninsert_after = \"^#\"", "# x\nc\na = 1\nb = 2\na = 3\n"},
		{"at the beginning", text, "line = \"c\"\ninsert_before = \"^\"", "c\n" + text},
		{"a match goes before its place", text, "line = \"b = 5\"\nmatch = \"^b\"\ninsert_before = \"^\"", "# x\na = 1\nb = 5\na = 3\n"},
		{"look-ahead that the line itself does not match", text, "line = \"a = 9\"\nmatch = \"^a = (?!9)\"", "# x\na = 1\nb = 2\na = 9\n"},
		{"absent by look-ahead", text, "match = \"^a = (?!1)\"\nstate = \"absent\"", "# x\na = 1\nb = 2\n"},
		{"absent by match", text, "match = \"^a\"\nstate = \"absent\"", "# x\nb = 2\n"},
		{"absent by line", "a\nb\na\n", "line = \"a\"\nstate = \"absent\"", "b\n"},
		{"absent already", "a\nb", "line = \"c\"\nstate = \"absent\"", "a\nb"},
		{"absent, the only one", "a\n", "line = \"a\"\nstate = \"absent\"", ""},
	} {
		textedittest.Change(t, c.name, task(t, "/f", c.args).change, c.text, c.want)
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, args, want string }{
		{"diff", "/d/ours", `line = "b"`, "change /d/ours\n--- /d/ours\n+++ /d/ours\n@@ -1,1 +1,2 @@\n a\n+b"},
		{"missing", "/d/new", `line = "b"`, "/d/new is missing: set create = true to make it, or make it with a copy task before"},
		{"missing, to be made", "/d/new", "line = \"b\"\ncreate = true\nmode = \"0600\"", "create /d/new, mode 0600"},
		{"missing and absent", "/d/new", "line = \"b\"\nstate = \"absent\"", ""},
		{"secret", "/d/ours", "line = \"b\"\nsecret = true", "change /d/ours"},
		{"secret, to be made", "/d/new", "line = \"b\"\ncreate = true\nsecret = true", "create /d/new, mode 0600"},
		{"secret, to be made for all", "/d/new", "line = \"b\"\ncreate = true\nsecret = true\nmode = \"0644\"", "create /d/new, mode 0644"},
		{"mode only", "/d/ours", "line = \"a\"\nmode = \"0600\"", "set /d/ours: mode 0644 to 0600"},
		{"foreign", "/d/other", `line = "b"`, "/d/other exists with other content and is not owned by cluster demo: " +
			"set backup = true to keep what is there and have cleanup put it back, or move it away"},
		{"link", "/d/link", `line = "b"`, "/d/link is a link to ours: give the path of the file itself"},
		{"folder", "/d", `line = "b"`, "/d is no regular file, want a text file"},
		{"binary", "/d/binary", `line = "b"`, "/d/binary has a zero byte in it, want a text file"},
		{"long", "/d/long", `line = "b"`, "/d/long has 8388609 bytes, want at most 8388608 to edit it"},
	} {
		h := moduletest.NewFakeHost(t, "demo")
		h.FS.Put("/d/ours", "a\n", 0o644)
		h.FS.Put("/d/other", "a\n", 0o644)
		h.FS.Put("/d/binary", "\xff\x00", 0o644)
		h.FS.Put("/d/long", strings.Repeat("x", longest+1), 0o644)
		if err := h.FS.Symlink(t.Context(), "ours", "/d/link"); err != nil {
			t.Fatal(err)
		}
		if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "/d/ours"}); err != nil {
			t.Fatal(err)
		}
		if got := moduletest.Planned(t.Context(), task(t, c.path, c.args), h); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestASensitiveLineMakesTheFileSecret(t *testing.T) {
	t.Parallel()
	made := task(t, "/d/new", `line = "b"`, `create = true`)
	if hides := made.Hide("match"); hides || made.Secret {
		t.Errorf("a sensitive expression: hidden %t, secret %t, want neither", hides, made.Secret)
	}
	if hides := made.Hide("line"); !hides || !made.Secret {
		t.Errorf("a sensitive line: hidden %t, secret %t, want both", hides, made.Secret)
	}
}

// longest is the limit of the error that names it.
const longest = 8 << 20

func TestStepEditsWhatTheFileIsThen(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/f", "a\n", 0o644)
	steps, err := task(t, "/etc/f", `line = "b"`).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	h.FS.Put("/etc/f", "a\nfrom another\n", 0o644)
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.FS.Text("/etc/f"); got != "a\nfrom another\nb\n" {
		t.Errorf("file %q", got)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                               "line is empty, want the line that should be there",
		`state = "absent"`:               "line and match are empty, want the line that should not be there",
		`line = "a\nb"`:                  "line has a line end in it, want one line: for several use block_in_file",
		"line = \"a\"\nstate = \"gone\"": `state is "gone", want one of present, absent`,
		"line = \"a\"\nmatch = \"(\"":    "match is no regular expression: error parsing regexp: missing closing ): `(`",
		"line = \"a\"\nmatch = \"(?=a\"": "match is no regular expression: error parsing regexp: missing closing ) in `(?=a`",
		"line = \"a\"\ninsert_before = \"(\"": "insert_before is no regular expression: error parsing regexp: " +
			"missing closing ): `(`",
		"line = \"a\"\ninsert_before = \"a\"\ninsert_after = \"b\"": "want insert_after or insert_before, not both",
		"line = \"a\"\nmode = \"9\"":                                `mode is "9", want octal permission bits from "0001" to "0777", such as "0644"`,
		"match = \"a\"\nstate = \"absent\"":                         "",
	} {
		moduletest.Refused(t, task(t, "/f", args), want)
	}
	moduletest.Refused(t, task(t, "f", `line = "a"`), `path is "f", want an absolute path`)
}

func task(t *testing.T, path string, args ...string) *Task {
	t.Helper()
	return textedittest.Task[*Task](t, Kind(), path, args...)
}

package replace

import (
	"os"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/test/textedittest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	textedittest.Suite(t, "root=/dev/x quiet\n", "root=/dev/x quiet cgroup_enable=memory\n", 0o640, func(path string) module.Task {
		return task(t, path, `match = "^(\\w(?!.*\\bcgroup_enable=memory\\b).*)$"`, `replacement = "$1 cgroup_enable=memory"`,
			`backup = true`, `validate = ["grep", "-q", "cgroup_enable=memory", "%s"]`)
	}, nil)
}

func TestSuiteKeepsASecret(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	if err := os.WriteFile(h.Path("f"), []byte("token none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			made := task(t, h.Path("f"), `match = "^token (?!opensesame).*"`, `replacement = "token opensesame"`)
			if !made.Hide("replacement") || made.Hide("match") {
				t.Error("want the replacement hidden, and match not")
			}
			return made
		},
		Host:    h,
		Secrets: []secret.Value{"opensesame"},
	})
}

func TestChange(t *testing.T) {
	t.Parallel()
	const text = "# one\na = 1\n[x]\na = 1\n[y]\na = 1\n"
	for _, c := range []struct{ name, args, want, err string }{
		{"all", "match = \"^a = 1$\"\nreplacement = \"a = 2\"", "# one\na = 2\n[x]\na = 2\n[y]\na = 2\n", ""},
		{"after", "match = \"1$\"\nreplacement = \"2\"\nafter = \"^\\\\[y\\\\]\"", "# one\na = 1\n[x]\na = 1\n[y]\na = 2\n", ""},
		{"before", "match = \"1$\"\nreplacement = \"2\"\nbefore = \"^\\\\[\"", "# one\na = 2\n[x]\na = 1\n[y]\na = 1\n", ""},
		{"between", "match = \"1$\"\nreplacement = \"2\"\nafter = \"^\\\\[\"\nbefore = \"^\\\\[\"", "# one\na = 1\n[x]\na = 2\n[y]\na = 1\n", ""},
		{"removed", "match = \"^a.*\\n\"", "# one\n[x]\n[y]\n", ""},
		{"group before a digit", "match = \"(a) = 1$\"\nreplacement = \"$${1}0\"", "# one\na0\n[x]\na0\n[y]\na0\n", ""},
		{"nothing matches", "match = \"b\"", text, ""},
		{"never ends", "match = \"a\"\nreplacement = \"aa\"", "",
			"match matches the replacement too, so that each run would change it again: leave out what is already as it should be, " +
				"as with \"a(?!b)\" for an \"a\" without a \"b\" behind it"},
		{"no after", "match = \"a\"\nafter = \"^z\"", "", `after matches nothing in the file: "^z"`},
		{"no before behind after", "match = \"a\"\nafter = \"y\"\nbefore = \"x\"", "", `before matches nothing in the file: "x"`},
	} {
		got, err := task(t, "/f", c.args).change(text)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	got := moduletest.Planned(t.Context(), task(t, "/f", `match = "a"`), moduletest.NewFakeHost(t, ""))
	if want := "/f is missing: make it with a task before, or give the path of a file that exists"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`match = ""`:                              "match is empty, want the expression for the parts to replace",
		`match = "("`:                             "match is no regular expression: error parsing regexp: missing closing ): `(`",
		"match = \"a\"\nafter = \"(\"":            "after is no regular expression: error parsing regexp: missing closing ): `(`",
		"match = \"a\"\nbefore = \"[a\"":          "before is no regular expression: error parsing regexp: missing closing ]: `[a`",
		"match = \"a\"\nmode = \"rw\"":            `mode is "rw", want octal permission bits from "0001" to "0777", such as "0644"`,
		"match = \"a\"\nvalidate = [\"a\"]":       "validate names no file, want %s where the file's path belongs",
		"match = \"a\"\nreplacement = \"x\\\\1\"": `replacement has "\\1" in it, want "$1" for the first group, and "$${1}" before a letter or digit`,
	} {
		moduletest.Refused(t, task(t, "/f", args), want)
	}
	moduletest.Refused(t, task(t, "f", `match = "a"`), `path is "f", want an absolute path`)
}

func task(t *testing.T, path string, args ...string) *Task {
	t.Helper()
	return textedittest.Task[*Task](t, Kind(), path, args...)
}

package inifile

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/test/textedittest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	const before = "# all\n[main]\n; why\ngpgcheck=1\n\n[other]\na = b"
	textedittest.Suite(t, before, before+"\n", 0o640,
		func(path string) module.Task {
			return task(t, path, `section = "main"`, `option = "timeout"`, `value = "5"`, `separator = "="`, `backup = true`)
		},
		func(path string) module.Task {
			return task(t, path, `section = "main"`, `option = "timeout"`, `state = "absent"`)
		})
}

func TestSuiteMakesASecretFile(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			made := task(t, h.Path("f"), `option = "password"`, `value = "opensesame"`, `create = true`)
			if !made.Hide("value") || made.Hide("option") {
				t.Error("want the value hidden, and the option not")
			}
			return made
		},
		Host:    h,
		Secrets: []secret.Value{"opensesame"},
	})
	if info, err := os.Stat(h.Path("f")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v, want mode 0600", info, err)
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	const yum = "[main]\ngpgcheck=1\n#timeout = 30\nkeep = no\n\n# mirrors\n[docker]\nenabled=1\n"
	for _, c := range []struct{ name, text, args, want string }{
		{"is there, spaced otherwise", yum, "section = \"docker\"\noption = \"enabled\"\nvalue = \"1\"", yum},
		{"only the value changes", yum, "section = \"docker\"\noption = \"enabled\"\nvalue = \"0\"", strings.ReplaceAll(yum, "enabled=1", "enabled=0")},
		{"behind its comment", yum, "section = \"main\"\noption = \"timeout\"\nvalue = \"5\"", strings.ReplaceAll(yum, "= 30\n", "= 30\ntimeout = 5\n")},
		{"at the end of the section", yum, "section = \"main\"\noption = \"a\"\nvalue = \"b\"\nseparator = \"=\"",
			"[main]\ngpgcheck=1\n#timeout = 30\nkeep = no\n\n# mirrors\na=b\n[docker]\nenabled=1\n"},
		{"at the end of the file", yum, "section = \"docker\"\noption = \"a\"\nvalue = \"b\"", yum + "a = b\n"},
		{"a new section", "a=b", "section = \"x\"\noption = \"a\"\nvalue = \"\"", "a=b\n\n[x]\na =\n"},
		{"an empty file", "", "section = \"x\"\noption = \"a\"\nvalue = \"b\"", "[x]\na = b\n"},
		{"without a section", "# c\n[x]\na = 1\n", "option = \"a\"\nvalue = \"2\"", "a = 2\n# c\n[x]\na = 1\n"},
		{"without a value", "[mysqld]\nport = 1\n", "section = \"mysqld\"\noption = \"skip-networking\"", "[mysqld]\nport = 1\nskip-networking\n"},
		{"a value goes", "[m]\na = 1\n", "section = \"m\"\noption = \"a\"", "[m]\na\n"},
		{"a value comes", "[m]\na\n", "section = \"m\"\noption = \"a\"\nvalue = \"1\"", "[m]\na = 1\n"},
		{"several values", "[Service]\nEnvironment=A=1\nType=simple\nEnvironment=B=1\nEnvironment=C=1\n",
			"section = \"Service\"\noption = \"Environment\"\nvalues = [\"A=1\", \"B=2\"]\nseparator = \"=\"",
			"[Service]\nEnvironment=A=1\nType=simple\nEnvironment=B=2\n"},
		{"more values", "[Service]\nEnvironment=A=1\nType=simple\n",
			"section = \"Service\"\noption = \"Environment\"\nvalues = [\"A=1\", \"B=2\"]\nseparator = \"=\"",
			"[Service]\nEnvironment=A=1\nEnvironment=B=2\nType=simple\n"},
		{"one value of several", "[s]\na=1\na=2\n", "section = \"s\"\noption = \"a\"\nvalue = \"2\"", "[s]\na=2\n"},
		{"a value of several lines", "[pip]\nurls =\n    http://a?x=y\n    http://b\nz = 1\n", "section = \"pip\"\noption = \"urls\"\nvalue = \"\\nhttp://a?x=y\"",
			"[pip]\nurls =\n    http://a?x=y\nz = 1\n"},
		{"indented, as of git", "[user]\n\tname = A\n\temail = a@b\n", "section = \"user\"\noption = \"name\"\nvalue = \"B\"", "[user]\n\tname = B\n\temail = a@b\n"},
		{"indented as its neighbour", "[user]\n\tname = A\n", "section = \"user\"\noption = \"email\"\nvalue = \"a@b\"", "[user]\n\tname = A\n\temail = a@b\n"},
		{"behind a value of several lines", "[pip]\nurls =\n    http://a\n    http://b\n", "section = \"pip\"\noption = \"timeout\"\nvalue = \"5\"",
			"[pip]\nurls =\n    http://a\n    http://b\ntimeout = 5\n"},
		{"behind an indented value of several lines", "[x]\n\ta = 1\n\tb =\n\t\tone\n", "section = \"x\"\noption = \"c\"\nvalue = \"2\"",
			"[x]\n\ta = 1\n\tb =\n\t\tone\n\tc = 2\n"},
		{"a line of another option's value", "[pip]\nurls =\n    timeout = 9\n    # b\n    timeout = 8\nz = 1\n", "section = \"pip\"\noption = \"timeout\"\nvalue = \"5\"",
			"[pip]\nurls =\n    timeout = 9\n    # b\n    timeout = 8\nz = 1\ntimeout = 5\n"},
		{"absent, in another option's value", "[pip]\nurls =\n    timeout = 9\n", "section = \"pip\"\noption = \"timeout\"\nstate = \"absent\"",
			"[pip]\nurls =\n    timeout = 9\n"},
		{"indented behind an option without a value", "[mysqld]\nskip-networking\n  port = 1\n", "section = \"mysqld\"\noption = \"port\"\nvalue = \"2\"",
			"[mysqld]\nskip-networking\n  port = 2\n"},
		{"colons", "[x]\na: b=c\n", "section = \"x\"\noption = \"a\"\nvalue = \"b=d\"\nseparator = \": \"", "[x]\na: b=d\n"},
		{"absent", yum, "section = \"main\"\noption = \"keep\"\nstate = \"absent\"", strings.ReplaceAll(yum, "keep = no\n", "")},
		{"absent in a comment", yum, "section = \"main\"\noption = \"timeout\"\nstate = \"absent\"", yum},
		{"absent section", yum, "section = \"main\"\nstate = \"absent\"", "[docker]\nenabled=1\n"},
		{"section is there", yum, "section = \"docker\"", yum},
		{"section twice", "[a]\nx=1\n[b]\n[a]\nx=2\n", "section = \"a\"\noption = \"x\"\nstate = \"absent\"", "[a]\n[b]\n[a]\n"},
		{"no section to remove", yum, "section = \"none\"\nstate = \"absent\"", yum},
		{"nothing to remove of no section", yum, "section = \"none\"\noption = \"a\"\nstate = \"absent\"", yum},
	} {
		textedittest.Change(t, c.name, task(t, "/f", c.args).change, c.text, c.want)
	}
}

func TestGitReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	need.Programs(t, "git", "git")
	h := moduletest.LocalHost(t, "")
	path := h.Path("config")
	for _, section := range []string{"user", "core"} {
		moduletest.Do(t, task(t, path, `section = "`+section+`"`, `option = "name"`, `value = "of `+section+`"`, `create = true`), h)
	}
	out, err := exec.CommandContext(t.Context(), "git", "config", "--file", path, "--list").Output()
	if string(out) != "user.name=of user\ncore.name=of core\n" || err != nil {
		t.Errorf("git reads %q, %v", out, err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                   "section and option are empty, want at least one of them",
		`section = "[a]"`:                    `section is "[a]", want the name alone, without brackets`,
		`option = "a = b"`:                   `option is "a = b", want the name alone`,
		`option = "#a"`:                      `option is "#a", want the name alone`,
		"section = \"a\"\nvalue = \"b\"":     "a value needs an option, want its name",
		"option = \"a\"\nseparator = \"->\"": `separator is "->", want "=" or ":", perhaps with spaces`,
		"option = \"a\"\nvalue = \" b\"":     "a value has space around one of its lines, which is not kept: want it without",
		"option = \"a\"\nvalue = \"b\\n\"":   "a further line of a value is empty or a comment, and would not be read: want it without",
		"option = \"a\"\nvalue = \"b\"\nvalues = [\"c\"]":      "want value or values, not both",
		"option = \"a\"\nvalue = \"b\"\nstate = \"absent\"":    "an absent option has no value, want it without value and values",
		"option = \"a\"\nvalue = \"b\"\nvalidate = [\"true\"]": "validate names no file, want %s where the file's path belongs",
	} {
		moduletest.Refused(t, task(t, "/f", args), want)
	}
}

func task(t *testing.T, path string, args ...string) *Task {
	t.Helper()
	return textedittest.Task[*Task](t, Kind(), path, args...)
}

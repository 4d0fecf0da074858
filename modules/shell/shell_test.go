package shell

import (
	"os"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
)

func TestSuiteWithCreates(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	path := h.Path("made")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(t, "commands = \"printf 'a b' | tr a-z A-Z > "+path+" # opensesame\"\ncreates = \""+path+"\"")
		},
		Absent: func() module.Task {
			return task(t, "commands = \"rm -f "+path+"\"\nremoves = \""+path+"\"")
		},
		Host: h, Secrets: []secret.Value{"opensesame"},
	})
}

func TestSuiteWithConditionsInTheShell(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{`unless = "grep -q two list 2>/dev/null"`, `only_if = "! test -s list"`} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, "")
			moduletest.Run(t, moduletest.Case{
				New: func() module.Task {
					return task(t, "dir = \""+h.Dir+"\"\ncommands = <<-EOT\n  echo one >list\n  echo two >>list\nEOT\n"+condition)
				},
				Host: h,
			})
		})
	}
}

func TestSuiteWithoutConditions(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return task(t, `commands = "true"`) },
		Host: moduletest.LocalHost(t, ""),
	})
}

func TestStepShowsTheFirstWordsOnOneLine(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.AddSecret("opensesame")
	steps, err := task(t, "executable = \"bash\"\ncommands = \"set -e\\n  login opensesame\\n\"").Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || steps[0].String() != "run in bash: set -e login ***" {
		t.Errorf("steps %v, %v", steps, err)
	}
}

func TestTextIsNoArgumentAndStandardInputIsEmpty(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	text := "tr '\\0' ' ' </proc/$$/cmdline; cat; echo \"[$WORD]\"; echo warn >&2; exit 4"
	task := task(t, "env = { WORD = \"it's $HOME\" }\nok_codes = [4]\ncommands = "+quoted(text))
	if got := moduletest.Apply(t, task, h); got != "" {
		t.Fatal(got)
	}
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{
		"stdout": cty.StringVal("sh /dev/fd/3 [it's $HOME]\n"), "stderr": cty.StringVal("warn\n"), "code": cty.NumberIntVal(4),
	})
}

func TestLongTextIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	text := strings.Repeat(": "+strings.Repeat("x", 98)+"\n", 2000) + "echo end >" + h.Path("f")
	if got := moduletest.Apply(t, task(t, "commands = "+quoted(text)), h); got != "" {
		t.Fatal(got)
	}
	if got, err := os.ReadFile(h.Path("f")); err != nil || string(got) != "end\n" {
		t.Errorf("file %q, %v, want the last line of 200 kB to have run", got, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, want string }{
		{"code", `commands = "echo broken >&2; exit 3"`, "command ended with code 3: broken\n$ sh: echo broken >&2; exit 3"},
		{"set -e", `commands = "set -e\nfalse\ntrue"`, "command ended with code 1: sh: set -e false true"},
		{"pipefail", "executable = \"bash\"\ncommands = \"set -o pipefail; false | true\"",
			"command ended with code 1: bash: set -o pipefail; false | true"},
		{"expect", "commands = \"echo starting\"\nexpect = \"ready\"",
			"output of sh: echo starting does not contain \"ready\"; it ends with:\nstarting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := moduletest.Apply(t, task(t, c.args), moduletest.LocalHost(t, "")); got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

func TestMissingShellEndsWith127(t *testing.T) {
	t.Parallel()
	got := moduletest.Apply(t, task(t, "executable = \"/no/such/shell\"\ncommands = \"true\""), moduletest.LocalHost(t, ""))
	if want := "command ended with code 127: sh: 1: exec: /no/such/shell: not found\n$ /no/such/shell: true"; got != want {
		t.Errorf("error %q, want code 127", got)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`commands = " \n"`:                          "commands is empty, want text for the shell",
		`commands = "a\u0000b"`:                     "commands has a NUL character in it, want text",
		"commands = \"x\"\nexecutable = \"\"":       `executable is empty, want a shell such as "bash"`,
		"commands = \"x\"\nok_codes = []":           "ok_codes is empty, want at least one exit code",
		"commands = \"x\"\ndir = \"work\"":          `dir is "work", want an absolute path`,
		"commands = \"x\"\nexecutable = \"dash\"\n": "",
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

// quoted is a text as HCL has it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "${", "$${").Replace(text) + `"`
}

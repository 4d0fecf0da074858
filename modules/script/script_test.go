package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	source := write(t, "#!/bin/sh -e\nprintf '%s' \"$2\" >\"$1\"\n")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			task := Kind().New().(*Task)
			task.Source, task.Args, task.Creates = source, []string{h.Path("made"), "it's done"}, h.Path("made")
			return task
		},
		Host: h,
	})
	if got, err := os.ReadFile(h.Path("made")); err != nil || string(got) != "it's done" {
		t.Errorf("file %q, %v", got, err)
	}
	entries, err := os.ReadDir(h.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("on the host: %v, %v, want nothing but what the script made", entries, err)
	}
}

func TestSuiteWithCommandsAsConditions(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"unless":  `unless = ["test", "-e", "made"]`,
		"only_if": `only_if = ["sh", "-c", "! test -e made"]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, "")
			source := write(t, "touch made\n")
			moduletest.Run(t, moduletest.Case{
				New: func() module.Task {
					return task(t, source, "interpreter = [\"sh\"]\ndir = \""+h.Dir+"\"\n"+args)
				},
				Host: h,
			})
		})
	}
}

func TestInterpreterOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	source := write(t, "BEGIN { print ENVIRON[\"WORD\"], ARGV[1], ARGV[2]; exit 5 }\n")
	task := task(t, source, "interpreter = [\"awk\", \"-f\"]\nargs = [\"a b\", \"$c\"]\nenv = { WORD = \"w\" }\nok_codes = [5]\nexpect = \"w a b\"")
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 || steps[0].String() != "run script "+filepath.Base(source)+" a b $c" {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{"stdout": cty.StringVal("w a b $c\n"), "stderr": cty.StringVal(""), "code": cty.NumberIntVal(5)})
}

func TestFailureNamesTheScript(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	source := write(t, "#!/bin/sh\necho \"no such $1\" >&2\nexit 9\n")
	steps := moduletest.Steps(t, task(t, source, `args = ["opensesame"]`), h)
	err := steps[0].Do(t.Context(), h)
	if want := "command ended with code 9: no such ***\n$ " + filepath.Base(source) + " ***"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestShebang(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"#!/bin/sh\nx", []string{"/bin/sh"}},
		{"#! /bin/sh -e x \nx", []string{"/bin/sh", "-e x"}},
		{"#!/usr/bin/env python3", []string{"/usr/bin/env", "python3"}},
		{"#!\n", nil},
		{"echo hello\n", nil},
		{"", nil},
	} {
		got, err := shebang([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || (err == nil) != (c.want != nil) {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
}

func TestSourceThatCannotBeRunFailsThePlan(t *testing.T) {
	t.Parallel()
	bare := write(t, "echo hello\n")
	for source, want := range map[string]string{
		"/no/such/script": "source: stat /no/such/script: no such file or directory",
		bare:              "source: " + bare + ": it does not begin with #! and an interpreter: give interpreter",
	} {
		_, err := task(t, source, "").Plan(t.Context(), moduletest.NewFakeHost(t, ""))
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, args, want string }{
		{"", "", "source is empty, want the path of a script"},
		{"s", `interpreter = [""]`, `interpreter has an empty program, want one such as "python3"`},
		{"s", `dir = "d"`, `dir is "d", want an absolute path`},
	} {
		moduletest.Refused(t, task(t, c.source, c.args), c.want)
	}
}

func task(t *testing.T, source, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), "source = \""+source+"\"\n"+args).(*Task)
}

// write makes a script of this machine.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.ToLower(t.Name()[:8]))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

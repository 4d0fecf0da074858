package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
)

// task returns a task with arguments.
func task(set func(*Task)) *Task {
	return moduletest.Make(Kind(), set)
}

func TestSuiteWithCreates(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	path := h.Path("made")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(func(t *Task) {
				t.Argv, t.Creates, t.Stdin = []string{"sh", "-c", "cat > " + path + " # opensesame"}, path, "hello"
			})
		},
		Absent: func() module.Task {
			return task(func(t *Task) { t.Argv, t.Removes = []string{"rm", "-f", path}, path })
		},
		Host: h, Secrets: []secret.Value{"opensesame"},
	})
}

func TestSuiteWithoutConditions(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return moduletest.Decode(t, Kind(), `argv = ["true"]`) },
		Host: moduletest.LocalHost(t, ""),
	})
}

func TestSuiteReadOnly(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), "argv = [\"uname\"]\nread_only = true\nexpect = \"Linux\"")
		},
		Host: moduletest.LocalHost(t, ""), NoSteps: true,
	})
}

func TestConditionsDecideWhetherTheCommandRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"none", ``, []string{"run make it"}},
		{"creates is there", `creates = "/there"`, nil},
		{"creates is not there", `creates = "/gone"`, []string{"run make it"}},
		{"removes is there", `removes = "/there"`, []string{"run make it"}},
		{"removes is not there", `removes = "/gone"`, nil},
		{"unless succeeds", `unless = ["yes"]`, nil},
		{"unless fails", `unless = ["no"]`, []string{"run make it"}},
		{"only_if succeeds", `only_if = ["yes"]`, []string{"run make it"}},
		{"only_if fails", `only_if = ["no"]`, nil},
		{"one of two says no", "creates = \"/gone\"\nunless = [\"yes\"]", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := moduletest.NewFakeHost(t, "")
			h.FS.Put("/there", "", 0o644)
			h.On("yes").Out("")
			h.On("no").Fail(1, "")
			task := moduletest.Decode(t, Kind(), "argv = [\"make\", \"it\"]\n"+c.args)
			steps := moduletest.Steps(t, task, h)
			var got []string
			for _, s := range steps {
				got = append(got, s.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRunJudgesCodeAndOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, want string }{
		{"code 0", `argv = ["sh", "-c", "exit 0"]`, ""},
		{"code 3", `argv = ["sh", "-c", "echo broken >&2; exit 3"]`, "command ended with code 3: broken\n$ sh -c 'echo broken >&2; exit 3'"},
		{"code 3 is fine", "argv = [\"sh\", \"-c\", \"exit 3\"]\nok_codes = [0, 3]", ""},
		{"code 0 is not fine", "argv = [\"true\"]\nok_codes = [1]", "command ended with code 0, want one of [1]: true"},
		{"expected text", "argv = [\"echo\", \"up and running\"]\nexpect = \"up\"", ""},
		{"expected pattern", "argv = [\"echo\", \"up and running\"]\nexpect = \"^up.*ing\"", ""},
		{"unexpected text", "argv = [\"echo\", \"starting\"]\nexpect = \"ready\"",
			"output of echo starting does not contain \"ready\"; it ends with:\nstarting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := apply(t, moduletest.Decode(t, Kind(), c.args))
			if got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
		})
	}
}

// apply does the steps on this machine and returns the error as text.
func apply(t *testing.T, task module.Task) string {
	t.Helper()
	h := moduletest.LocalHost(t, "")
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if err := steps[0].Do(t.Context(), h); err != nil {
		return err.Error()
	}
	return ""
}

func TestOutputsAreOfTheRunAndSurvivePlanningAgain(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := task(func(t *Task) {
		t.Argv = []string{"sh", "-c", "touch done; echo $WORD; echo warn >&2; exit 4"}
		t.Env, t.Dir, t.Creates, t.OKCodes = map[string]string{"WORD": "out"}, h.Dir, h.Path("done"), []int{4}
	})
	for range 2 {
		moduletest.Do(t, task, h)
	}
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{"stdout": cty.StringVal("out\n"), "stderr": cty.StringVal("warn\n"), "code": cty.NumberIntVal(4)})
}

func TestOutputLinesAreProgressWithoutSecrets(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	task := task(func(t *Task) { t.Argv, t.ReadOnly = []string{"printf", "one\n\n  key opensesame\n"}, true })
	if _, err := task.Plan(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range h.Reports() {
		got = append(got, p.Text)
	}
	if diff := cmp.Diff([]string{"one", "key ***"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadOnlyThatFailsFailsThePlan(t *testing.T) {
	t.Parallel()
	task := task(func(t *Task) { t.Argv, t.ReadOnly = []string{"false"}, true })
	_, err := task.Plan(t.Context(), moduletest.LocalHost(t, ""))
	if err == nil || !strings.Contains(err.Error(), "code 1: false") {
		t.Errorf("error %v, want code 1", err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{`argv = []`, "argv is empty, want a program and its arguments"},
		{"argv = [\"x\"]\nok_codes = []", "ok_codes is empty, want at least one exit code"},
		{"argv = [\"x\"]\ndir = \"work\"", `dir is "work", want an absolute path`},
		{"argv = [\"x\"]\nread_only = true\ncreates = \"/x\"",
			"read_only runs the command every time, want no creates, removes, unless or only_if beside it"},
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), c.args), c.want)
	}
}

func TestUnverifiableOnlyWithoutConditions(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		``: true, `creates = "/x"`: false, `removes = "/x"`: false, `unless = ["x"]`: false,
		`only_if = ["x"]`: false, `read_only = true`: false, `expect = "x"`: true,
	} {
		task := moduletest.Decode(t, Kind(), "argv = [\"x\"]\n"+args).(*Task)
		if got := task.Unverifiable(); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}

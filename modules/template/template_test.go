package template

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	args := `dest = "` + h.Path("f") + `"` + "\n"
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), args+"template = \"$${name}\\n\"\nvars = { name = \"web\" }")
		},
		Absent: func() module.Task { return moduletest.Decode(t, Kind(), args+`state = "absent"`) },
		Host:   h,
	})
}

func TestSensitiveValueMakesTheContentSecret(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/f", "old", 0o644)
	text := "key ${key}\n"
	task := Kind().New().(*Task)
	task.Dest, task.Template = "/etc/f", &text
	task.Vars = cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal("opensesame")})
	if !task.Hide("vars") {
		t.Error("it does not keep vars to itself")
	}
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if got, want := steps[0].String(), "change /etc/f, mode 0644 to 0600"; got != want {
		t.Errorf("step %q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                              "template is missing, want the text to fill",
		"template = \"x\"\nvars = 1":    "vars is no object, want { name = value … }",
		"template = \"x\"\nvars = {}":   "",
		"template = \"x\"\nmode = \"\"": "",
	} {
		got := ""
		if err := module.Check(moduletest.Decode(t, Kind(), "dest = \"/f\"\n"+args)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

package debug

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`message = "hello"`, `value = { a = [1, "b"] }`} {
		moduletest.Run(t, moduletest.Case{
			New:  func() module.Task { return moduletest.Decode(t, Kind(), args) },
			Host: moduletest.NewFakeHost(t, "demo"), NoSteps: true,
		})
	}
}

func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		task Task
		want string
	}{
		{"message", Task{Message: "two\nlines"}, "two\nlines"},
		{"secret in the message", Task{Message: "key opensesame"}, "key ***"},
		{"object", Task{Value: cty.ObjectVal(map[string]cty.Value{"b": cty.True, "a": cty.ListVal([]cty.Value{cty.NumberIntVal(1)})})},
			"{\n  \"a\": [\n    1\n  ],\n  \"b\": true\n}"},
		{"null", Task{Value: cty.NullVal(cty.String)}, "null"},
		{"secret that JSON would quote", Task{Value: cty.ListVal([]cty.Value{cty.StringVal("say \"hi\"\nthere now")})}, "[\n  \"say ***\"\n]"},
		{"sensitive", Task{Value: cty.TupleVal([]cty.Value{cty.StringVal("x").Mark("sensitive")})}, "(sensitive)"},
	} {
		h := moduletest.NewFakeHost(t, "")
		h.AddSecret("opensesame", "\"hi\"\nthere now")
		task := &c.task
		if got := moduletest.Planned(t.Context(), task, h); got != "" || task.MessageText() != c.want {
			t.Errorf("%s: %q, %q, want %q", c.name, got, task.MessageText(), c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, args := range []string{``, "message = \"a\"\nvalue = 1"} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), "want exactly one of message and value")
	}
	if got := moduletest.Mistake(t, moduletest.Decode(t, Kind(), `value = []`)); got != "" {
		t.Errorf("an empty list: %q, want no mistake", got)
	}
}

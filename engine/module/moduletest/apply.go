package moduletest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// Steps returns the steps of a task, whose arguments and planning must have no error.
func Steps(t testing.TB, task module.Task, h module.Host) []module.Step {
	t.Helper()
	if err := module.Check(task); err != nil {
		t.Fatal(err)
	}
	steps, err := task.Plan(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// Texts returns the texts of the task's steps. Planning them must have no error.
func Texts(t testing.TB, task module.Task, h module.Host) []string {
	t.Helper()
	return texts(Steps(t, task, h))
}

// WantTexts compares the texts of the task's steps.
func WantTexts(t testing.TB, task module.Task, h module.Host, want ...string) {
	t.Helper()
	Same(t, "steps", Texts(t, task, h), want)
}

// Do does a task's steps and returns their texts. The first error fails the test.
func Do(t testing.TB, task module.Task, h module.Host) []string {
	t.Helper()
	steps := Steps(t, task, h)
	for _, step := range steps {
		if err := step.Do(t.Context(), h); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	return texts(steps)
}

// Settle does a task's steps as Do does, and plans once more, as a run does: nothing may be
// left to do.
func Settle(t testing.TB, task module.Task, h module.Host) []string {
	t.Helper()
	done := Do(t, task, h)
	if left := Texts(t, task, h); len(left) > 0 {
		t.Fatalf("planned again: %q, want no steps", left)
	}
	return done
}

// Outputs returns what a task returns to other tasks. An error fails the test.
func Outputs(t testing.TB, task module.Task, h module.Host) map[string]cty.Value {
	t.Helper()
	values, err := module.Outputs(t.Context(), task, h)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// Count returns the task's output "count".
func Count(t testing.TB, task module.Task, h module.Host) int64 {
	t.Helper()
	n, _ := Outputs(t, task, h)["count"].AsBigFloat().Int64()
	return n
}

// Planned returns the texts of the task's steps, one in each line, or the error's text.
func Planned(ctx context.Context, task module.Task, h module.Host) string {
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return err.Error()
	}
	return strings.Join(texts(steps), "\n")
}

// Apply does a task's steps and returns the text of the first error, or "".
func Apply(t testing.TB, task module.Task, h module.Host) string {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	for i := 0; err == nil && i < len(steps); i++ {
		err = steps[i].Do(t.Context(), h)
	}
	return textOf(err)
}

// Mistake returns the text of the error in a task's arguments, or "".
func Mistake(t testing.TB, task module.Task) string {
	t.Helper()
	return textOf(module.Check(task))
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Refused checks the error in a task's arguments.
func Refused(t testing.TB, task module.Task, want string) {
	t.Helper()
	if got := Mistake(t, task); got != want {
		t.Errorf("%+v: error %q, want %q", task, got, want)
	}
}

// Same checks a value.
func Same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Marks checks which marks there are, in the order they were made.
func Marks(t testing.TB, h module.Host, want ...module.Mark) {
	t.Helper()
	got, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if i < len(want) && want[i].Sums == "" {
			got[i].Sums = ""
		}
	}
	Same(t, "marks", append([]module.Mark(nil), got...), append([]module.Mark(nil), want...))
}

// WantOutputs checks those of a task's outputs that are named.
func WantOutputs(t testing.TB, task module.Task, h module.Host, want map[string]cty.Value) {
	t.Helper()
	got := Outputs(t, task, h)
	for name := range want {
		if !got[name].RawEquals(want[name]) {
			t.Errorf("%s is %#v, want %#v", name, got[name], want[name])
		}
	}
}

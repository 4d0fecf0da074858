package podmantest

import (
	"testing"

	"kinit/engine/module"
)

// Plan returns the steps of a task.
func Plan(t testing.TB, h module.Host, made module.Task) []module.Step {
	t.Helper()
	steps, err := made.Plan(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// Apply does the steps of a task, after which there must be none.
func Apply(t testing.TB, h module.Host, made module.Task) {
	t.Helper()
	for _, s := range Plan(t, h, made) {
		if err := s.Do(t.Context(), h); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if left := Plan(t, h, made); len(left) > 0 {
		t.Fatalf("planned again: %v", left)
	}
}

// WantStep checks the only step's text.
func WantStep(t testing.TB, h module.Host, made module.Task, want string) {
	t.Helper()
	steps := Plan(t, h, made)
	if len(steps) != 1 || steps[0].String() != want {
		t.Fatalf("steps %v, want %q", steps, want)
	}
}

package roottest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
)

// Planned is the lines of a task's steps, or its error as the only one.
func Planned(t testing.TB, h module.Host, task module.Task) []string {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var texts []string
	for _, step := range steps {
		texts = append(texts, step.String())
	}
	return texts
}

// Apply does a task, as a run does: afterwards nothing may be left to do.
func Apply(t testing.TB, h module.Host, task module.Task) {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if err := step.Do(t.Context(), h); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	if left := Planned(t, h, task); len(left) > 0 {
		t.Fatalf("planned again: %q, want no steps", left)
	}
}

// Marks checks which marks there are, in the order they were made.
func Marks(t testing.TB, h module.Host, want ...module.Mark) {
	t.Helper()
	got, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]module.Mark(nil), want...), append([]module.Mark(nil), got...)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// Same checks a value.
func Same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

package ovntest

import (
	"testing"

	"kinit/engine/module"
)

// Plan plans a task and returns its steps, of which planning must have no error.
func Plan(t testing.TB, h module.Host, task module.Task) []module.Step {
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

// Texts plans a task and returns what its steps say.
func Texts(t testing.TB, h module.Host, task module.Task) []string {
	t.Helper()
	var all []string
	for _, s := range Plan(t, h, task) {
		all = append(all, s.String())
	}
	return all
}

// Apply plans a task and does its steps.
func Apply(t testing.TB, h module.Host, task module.Task) {
	t.Helper()
	for _, s := range Plan(t, h, task) {
		if err := s.Do(t.Context(), h); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Refused plans a task, and does its steps if there are any, and checks the error.
func Refused(t testing.TB, h module.Host, task module.Task, want string) {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	for _, s := range steps {
		if err == nil {
			err = s.Do(t.Context(), h)
		}
	}
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

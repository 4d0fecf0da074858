package moduletest

import (
	"context"
	"strings"
	"testing"

	"kinit/engine/module"
)

// Planned is the texts of the steps a task would do, a line each, or the error's
// text.
func Planned(ctx context.Context, task module.Task, h module.Host) string {
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return err.Error()
	}
	return strings.Join(texts(steps), "\n")
}

// Apply does a task's steps and returns the text of the first error, or nothing.
func Apply(t testing.TB, task module.Task, h module.Host) string {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	if err != nil {
		return err.Error()
	}
	for _, step := range steps {
		if err := step.Do(t.Context(), h); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Mistake is the text of the error that a task's Validate returns, or nothing.
func Mistake(t testing.TB, task module.Task) string {
	t.Helper()
	v, ok := task.(module.Validator)
	if !ok {
		t.Fatalf("%T is no Validator", task)
	}
	if err := v.Validate(); err != nil {
		return err.Error()
	}
	return ""
}

package moduletest

import (
	"context"
	"strings"
	"testing"

	"kinit/engine/module"
)

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

// Mistake returns the text of the error in a task's arguments, or "".
func Mistake(t testing.TB, task module.Task) string {
	t.Helper()
	if err := module.Check(task); err != nil {
		return err.Error()
	}
	return ""
}

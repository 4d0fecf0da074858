package engine

import (
	"fmt"
	"slices"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
)

// expectation holds the tasks of a plan to their saved steps while they run. It allows these steps, or
// fewer, since an earlier task may have done some already. After tasks that have changed something, a step may
// differ in its diff but not in its first line. If another task of the run has edited the same file, all texts
// may differ: the plan had the file without that.
func (s *Saved) expectation(p *planned) run.Expect {
	redact, tasks := p.options.Redactor.Redact, map[string]SavedTask{}
	for _, t := range s.Tasks {
		tasks[t.Address] = t
	}
	// afterChanges reports whether a task comes after one that has changes in the plan.
	afterChanges := func(address string) bool {
		for key := range p.plan.Main.Before(address) {
			if t, ok := tasks[key.Name]; ok && key != plan.TaskKey(address) && (t.Later || len(t.Steps) > 0) {
				return true
			}
		}
		return false
	}
	return func(t *plan.Task, steps []string, edited bool) error {
		saved, ok := tasks[redact(t.Address)]
		if t.OnFailure || ok && (saved.Later || edited && len(steps) <= len(saved.Steps)) {
			return nil
		}
		left := slices.Clone(saved.Steps)
		for _, step := range steps {
			step = redact(step)
			i := slices.Index(left, step)
			if i < 0 && afterChanges(t.Address) {
				i = slices.IndexFunc(left, func(s string) bool { return event.FirstLine(s) == event.FirstLine(step) })
			}
			if i < 0 {
				return fmt.Errorf("this is not in the saved plan: %s. The plan has for this task: %s. The host was changed meanwhile; what was done before this task stays. Make a new plan",
					event.FirstLine(step), describeSteps(saved.Steps, saved.Later))
			}
			left = slices.Delete(left, i, i+1)
		}
		return nil
	}
}

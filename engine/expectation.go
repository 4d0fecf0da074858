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
// may differ: the plan had the file without that. Tasks that handle a failure are not held to anything: the plan
// had no failure.
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
	handling := handlingFailures(p.plan, func(t *plan.Task) bool { _, ok := tasks[redact(t.Address)]; return ok })
	failed := func(address string) bool { o, _ := p.values.Outcome(address); return o.Failed }
	return func(t *plan.Task, steps []string, edited bool) error {
		saved, ok := tasks[redact(t.Address)]
		if handling[t.Address] || slices.ContainsFunc(t.Needs, failed) || ok && (saved.Later || edited && len(steps) <= len(saved.Steps)) {
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

// handlingFailures returns the addresses of the tasks that a plan without failures does not show as they are done:
// those of on_failure, handlers that only these notify, and tasks that read how these ended.
func handlingFailures(p *plan.Plan, isSaved func(t *plan.Task) bool) map[string]bool {
	all := map[string]bool{}
	handles := func(t *plan.Task) bool {
		of := slices.Clone(t.Needs)
		if t.Handler && !isSaved(t) {
			for _, notifies := range t.Watches {
				of = append(of, notifies.Address)
			}
		}
		return t.OnFailure || t.Role == plan.Rescue || slices.ContainsFunc(of, func(address string) bool { return all[address] })
	}
	for more := true; more; {
		more = false
		for _, t := range slices.Concat(p.Main.Tasks, p.OnFailure.Tasks, p.Always.Tasks) {
			if !all[t.Address] && handles(t) {
				all[t.Address], more = true, true
			}
		}
	}
	return all
}

package run

import "kinit/engine/internal/plan"

// waitsFor returns, in a dry run, the task that must change something before this one can
// be planned: one whose values it reads, or one that creates its host. It returns an empty
// text if the task can be planned now.
func (r *runner) waitsFor(t *plan.Task) string {
	if !r.opts.Check {
		return ""
	}
	if pending := t.Pending(r.values); len(pending) > 0 {
		return pending[0]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range r.plan.HostNeeds(t.Host) {
		if rec := r.done[address]; rec != nil && rec.pending {
			return address
		}
	}
	return ""
}

// orPending ignores, in a dry run, the failure of a task that could not be read if an earlier
// task would change something: a service that is not started yet does not answer, and that
// is no fault.
func (r *runner) orPending(t *plan.Task, out outcome, err error) (outcome, error) {
	before := r.plan.Main.Before(t.Address)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.plan.Main.Tasks {
		rec := r.done[other.Address]
		if before[plan.TaskKey(other.Address)] && rec != nil && rec.pending {
			return outcome{changed: true, pending: true, blind: true, steps: []string{"known after " + other.Address}}, nil
		}
	}
	return out, err
}

package run

import (
	"errors"
	"fmt"
	"maps"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
)

// errLeftOut ends a visit that did nothing, because of an earlier failure. What
// depends on the key is skipped for the same reason.
var errLeftOut = errors.New("left out")

// pass looks at the end of a stage or batch: with more failed hosts than may fail
// nothing after it begins. Otherwise those that failed are left out from now on.
func (r *runner) pass(g *plan.Gate) error {
	if g == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var first string
	hosts, failed := map[string]bool{}, map[string]string{}
	for _, t := range g.Tasks {
		if r.dropped[t.For] != "" {
			continue
		}
		hosts[t.For] = true
		rec := r.done[t.Address]
		if rec == nil || !rec.undone || failed[t.For] != "" {
			continue
		}
		failed[t.For] = rec.why()
		if first == "" {
			first = rec.why()
		}
	}
	if len(failed) <= g.MaxFail {
		maps.Copy(r.dropped, failed)
		return nil
	}
	r.reasons[g.Key] = first
	if g.MaxFail > 0 {
		r.reasons[g.Key] = fmt.Sprintf("%d of %d hosts failed in %s, and max_fail is %d", len(failed), len(hosts), g.Label, g.MaxFail)
	}
	return errLeftOut
}

// why is the reason for which others are not done after this one.
func (rec *record) why() string {
	if rec.result.Status == event.Skipped {
		return rec.result.Message
	}
	return "after the failure of " + rec.result.Task.Address
}

// leftOut says why a task is not tried, or nothing: its host failed before, or its
// block was not reached. What is done always is tried nevertheless.
func (r *runner) leftOut(t *plan.Task) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch why := r.dropped[t.For]; {
	case t.Always:
		return ""
	case why != "" && !t.Handler && !t.OnFailure:
		return why
	case r.lost[t.Host] != "":
		return r.lost[t.Host]
	case t.Role == plan.Cleanup:
		return r.unreached(t.Watches)
	}
	return ""
}

// unreached says why none of some tasks was tried, or nothing when one was. The
// caller holds mu.
func (r *runner) unreached(tasks []*plan.Task) string {
	why := ""
	for _, t := range tasks {
		rec := r.done[t.Address]
		if rec == nil && t.Role == plan.Rescue {
			continue // nothing to deal with
		}
		if rec == nil || !rec.undone || rec.failed() {
			return ""
		}
		why = rec.why()
	}
	return why
}

// asked tells whether a handler was notified, or a task for failures has one to
// deal with. Those that were not are nothing to speak of.
func (r *runner) asked(t *plan.Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case t.Handler:
		return r.any(t.Watches, (*record).changed)
	case t.Role == plan.Rescue:
		return r.any(t.Watches, (*record).failed)
	}
	return true
}

// any tells whether one of the tasks has ended in a way. The caller holds mu.
func (r *runner) any(tasks []*plan.Task, way func(*record) bool) bool {
	for _, t := range tasks {
		if rec := r.done[t.Address]; rec != nil && way(rec) {
			return true
		}
	}
	return false
}

// changed tells whether the task changed something, though it may have failed
// afterwards.
func (rec *record) changed() bool {
	return rec.result.Status == event.Changed || rec.failed() && len(rec.result.Steps) > 0
}

// failed tells whether the task itself failed.
func (rec *record) failed() bool {
	return rec.result.Status == event.Failed || rec.result.Status == event.Unreachable
}

package run

import (
	"errors"
	"fmt"
	"maps"

	"kinit/engine/event"
	"kinit/engine/internal/plan"
)

// errLeftOut ends a visit that did nothing because of an earlier failure. Tasks that depend
// on it are skipped for the same reason.
var errLeftOut = errors.New("left out")

// pass checks the end of a stage or batch. If more hosts have failed than may fail, nothing
// after it begins. Otherwise the failed hosts are left out from now on.
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
	r.reasons[g.Key.String()] = first
	if g.MaxFail > 0 {
		r.reasons[g.Key.String()] = fmt.Sprintf("%d of %d hosts failed in %s, and max_fail is %d", len(failed), len(hosts), g.Label, g.MaxFail)
	}
	return errLeftOut
}

// why returns the reason to skip the tasks that depend on this one.
func (rec *record) why() string {
	if rec.result.Status == event.Skipped {
		return rec.result.Message
	}
	return "after the failure of " + rec.result.Task.Address
}

// leftOut returns why a task is not tried, or an empty text: its host failed before, or its
// block was not reached. Tasks of always are tried nevertheless.
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

// unreached returns why none of some tasks was tried, or an empty text if one was. The
// caller holds mu.
func (r *runner) unreached(tasks []*plan.Task) string {
	why := ""
	for _, t := range tasks {
		rec := r.done[t.Address]
		if rec == nil && t.Role == plan.Rescue {
			continue // no failure to handle
		}
		if rec == nil || !rec.undone || rec.failed() {
			return ""
		}
		why = rec.why()
	}
	return why
}

// asked reports whether a handler was notified, or whether a task of on_failure has a
// failure to handle. Other ones are not reported.
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

// any reports whether way holds for one of the tasks. The caller holds mu.
func (r *runner) any(tasks []*plan.Task, way func(*record) bool) bool {
	for _, t := range tasks {
		if rec := r.done[t.Address]; rec != nil && way(rec) {
			return true
		}
	}
	return false
}

// changed reports whether the task changed something, even if it failed afterwards.
func (rec *record) changed() bool {
	return rec.result.Status == event.Changed || rec.failed() && len(rec.result.Steps) > 0
}

// failed reports whether the task itself failed.
func (rec *record) failed() bool {
	return rec.result.Status == event.Failed || rec.result.Status == event.Unreachable
}

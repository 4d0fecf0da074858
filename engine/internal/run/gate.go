package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kinit/engine/internal/plan"
)

// errLeftOut ends a visit that did nothing because of an earlier failure. Tasks that depend
// on it are skipped for the same reason.
var errLeftOut = errors.New("left out")

// pass checks the end of a stage or batch. If more hosts have failed than may fail, nothing
// after it begins. Otherwise the failed hosts are left out from now on.
func (r *endings) pass(g *plan.Gate) error {
	if g == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	failed, why := r.judge(g, false)
	if why == "" {
		maps.Copy(r.dropped, failed)
		return nil
	}
	r.closed[g.Key.String()] = why
	return errLeftOut
}

// begin checks the begin of a stage. It does not begin after a failure in another stage or
// batch, whether this one comes after it or not, and although tasks may still be at work there.
func (r *endings) begin(stage plan.Key, gates []*plan.Gate) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range gates {
		if _, why := r.judge(g, true); why != "" {
			r.closed[stage.String()] = why
			return errLeftOut
		}
	}
	return nil
}

// judge returns the hosts on which tasks of a gate have failed, and why nothing more begins, if
// there are more than may fail. early counts only the tasks of a stage that are in no batch of it,
// whose hosts may still be allowed to fail. The caller holds mu.
func (r *endings) judge(g *plan.Gate, early bool) (failed map[string]string, why string) {
	hosts, failed, tasks := map[string]bool{}, map[string]string{}, g.Tasks
	if early {
		tasks = slices.DeleteFunc(slices.Clone(g.Own), func(t *plan.Member) bool { return t.Stage == "" })
	}
	for _, t := range tasks {
		if r.dropped[t.For] != "" {
			continue
		}
		hosts[t.For] = true
		end := r.ended[t.Address]
		if !end.undone || failed[t.For] != "" {
			continue
		}
		failed[t.For] = end.why()
		if why == "" {
			why = end.why()
		}
	}
	switch {
	case len(failed) <= g.MaxFail:
		return failed, ""
	case g.MaxFail > 0:
		return failed, fmt.Sprintf("%d of %d hosts failed in %s, and max_fail is %d", len(failed), len(hosts), g.Label, g.MaxFail)
	}
	return failed, why
}

// leftOut returns why a task is not tried, or an empty text: its host failed before, or its
// block was not reached. Tasks of always are tried nevertheless, and those that handle a failure are
// on a host that is left out for one.
func (r *endings) leftOut(t *plan.Task) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch why := r.dropped[t.For]; {
	case t.Always:
		return ""
	case why != "" && !t.Handler && !t.OnFailure && t.Role == plan.Normal:
		return why
	case r.lost[t.Host] != "":
		return r.lost[t.Host]
	case t.Role == plan.Cleanup:
		return r.unreached(t)
	}
	return ""
}

// unreached returns why none of the tasks that a task watches was tried, or an empty text if one
// was. The caller holds mu.
func (r *endings) unreached(t *plan.Task) string {
	why := ""
	for _, watched := range t.Watches {
		end, ended := r.ended[watched.Address]
		if !ended && watched.Role == plan.Rescue {
			continue // no failure to handle
		}
		if end.tried() {
			return ""
		}
		why = end.why()
	}
	return why
}

// triggered reports whether a handler was notified, or whether a task of on_failure has a
// failure to handle. A task that is not triggered has no ending. All other tasks are always
// triggered. After an interrupt, tasks that were not done are no failure.
func (r *endings) triggered(t *plan.Task, interrupted bool) bool {
	switch {
	case t.Handler:
		return r.any(t, ending.changed)
	case t.Role != plan.Rescue || r.any(t, ending.failed):
		return true
	}
	leftOut := func(end ending) bool { return end.undone }
	return !interrupted && r.any(t, leftOut) && r.any(t, ending.tried)
}

// any reports whether the ending of a task that t watches is as is says.
func (r *endings) any(t *plan.Task, is func(ending) bool) bool {
	for _, watched := range t.Watches {
		if end := r.of(watched.Address); end.task != nil && is(end) {
			return true
		}
	}
	return false
}

package replay

import (
	"slices"
	"time"

	"kinit/engine/event"
)

// critical finds the path that took the time: from the task that ended last, to
// the one of those it waited for that ended last, and so on. Making a task of the
// path faster makes the run faster; making another faster does not.
func critical(r *Run) []*Task {
	w := newWaits(r)
	var path []*Task
	for t := latest(r.Tasks); t != nil; t = w.before(t) {
		t.Critical = true
		path = append(path, t)
	}
	slices.Reverse(path)
	return path
}

// waits knows what tasks waited for.
type waits struct {
	run     *Run
	last    map[string]*Task        // of each stage, the task that ended last
	after   map[string][]string     // the stages before each
	ofParts map[event.Section]*Task // of each section, the task that ended last
}

func newWaits(r *Run) *waits {
	w := &waits{run: r, last: map[string]*Task{}, after: map[string][]string{}, ofParts: map[event.Section]*Task{}}
	for _, s := range r.Plan.Stages {
		w.after[s.Name] = s.After
	}
	for _, t := range r.Tasks {
		if !t.ran() {
			continue
		}
		w.ofParts[t.Section] = later(w.ofParts[t.Section], t)
		if t.Section == event.Main && t.Stage != "" {
			w.last[t.Stage] = later(w.last[t.Stage], t)
		}
	}
	return w
}

// before is the task that a task waited for last, or nil. It ended before the
// other started, so that no path goes in a circle.
func (w *waits) before(t *Task) *Task {
	var found *Task
	consider := func(other *Task) {
		if other != nil && other != t && other.ran() && !other.Critical && !other.Ended.After(t.Started.Add(slack)) {
			found = later(found, other)
		}
	}
	if t.planned {
		for i := range w.run.Plan.Waits(t.Task) {
			consider(w.run.Tasks[i])
		}
	}
	if t.Section == event.Main {
		w.stages(t.Stage, map[string]bool{}, consider)
		return found
	}
	for _, section := range []event.Section{event.Main, event.OnFailure} {
		if section != t.Section {
			consider(w.ofParts[section])
		}
	}
	return found
}

// stages considers the last tasks of the stages before one. Of a stage where
// nothing ran, those before it count.
func (w *waits) stages(stage string, seen map[string]bool, consider func(*Task)) {
	for _, before := range w.after[stage] {
		if seen[before] {
			continue
		}
		seen[before] = true
		consider(w.last[before])
		w.stages(before, seen, consider)
	}
}

// slack is how much later than the start of a task the event may be that ended the
// one before: two goroutines emit them.
const slack = 50 * time.Millisecond

// ran reports whether the task was at work, to its end.
func (t *Task) ran() bool { return t.Status != "" && t.Status != event.Skipped }

func latest(tasks []*Task) *Task {
	var found *Task
	for _, t := range tasks {
		if t.ran() {
			found = later(found, t)
		}
	}
	return found
}

func later(a, b *Task) *Task {
	if a == nil || b.Ended.After(a.Ended) {
		return b
	}
	return a
}

package view

import (
	"slices"
	"time"

	"kinit/engine/event"
)

// board knows from the events so far what is done and what runs.
type board struct {
	started time.Time
	total   int // tasks of the run, 0 when unknown
	done    int
	failed  int
	running []*running // in the order in which they started
}

// running is a task at work.
type running struct {
	task, host string
	started    time.Time
	attempt    int // from 1
	text       string
	progress   event.Progress
	rate       rate
	nextBeat   time.Time // of a heartbeat line
}

func (b *board) apply(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		b.started, b.total = e.Time, e.Total
	case event.TaskStarted:
		b.start(e)
	case event.TaskFinished:
		b.finish(e)
	case event.StepStarted, event.TaskProgress, event.TaskRetried:
		b.update(e)
	}
}

func (b *board) start(e event.Event) {
	if b.find(e.Task) != nil {
		return
	}
	b.running = append(b.running, &running{
		task: e.Task, host: e.Host, started: e.Time, attempt: 1,
		nextBeat: e.Time.Add(heartbeat),
	})
}

func (b *board) finish(e event.Event) {
	b.done++
	if e.Status == event.Failed || e.Status == event.Unreachable {
		b.failed++
	}
	b.running = slices.DeleteFunc(b.running, func(r *running) bool { return r.task == e.Task })
}

func (b *board) update(e event.Event) {
	r := b.find(e.Task)
	if r == nil {
		return
	}
	switch e.Kind {
	case event.TaskRetried:
		r.attempt = e.Attempt + 1
		r.text = "attempt " + number(r.attempt) + ", before: " + headline(e.Message)
		r.progress, r.rate = event.Progress{}, rate{}
	case event.StepStarted:
		r.text = stepText(e)
		r.progress, r.rate = event.Progress{}, rate{}
	case event.TaskProgress:
		if e.Progress == nil {
			return
		}
		if e.Progress.Text != "" {
			r.text = headline(e.Progress.Text)
		}
		r.progress = *e.Progress
		r.rate.add(e.Time, e.Progress.Done)
	}
}

// stepText is what a step that started does.
func stepText(e event.Event) string {
	if len(e.Steps) > 0 {
		return headline(e.Steps[0])
	}
	return headline(e.Message)
}

func (b *board) find(task string) *running {
	for _, r := range b.running {
		if r.task == task {
			return r
		}
	}
	return nil
}

// rate measures bytes a second over the last five to ten seconds.
type rate struct {
	old, mid sample
}

type sample struct {
	at   time.Time
	done int64
}

// rateWindow is how long a sample is measured against before a newer one takes
// its place.
const rateWindow = 5 * time.Second

func (r *rate) add(at time.Time, done int64) {
	now := sample{at, done}
	if r.old.at.IsZero() || done < r.mid.done {
		r.old, r.mid = now, now
	}
	if at.Sub(r.mid.at) >= rateWindow {
		r.old, r.mid = r.mid, now
	}
}

// perSecond is the rate at a time, 0 when it is not known yet.
func (r *rate) perSecond(at time.Time, done int64) int64 {
	elapsed := at.Sub(r.old.at).Seconds()
	if r.old.at.IsZero() || elapsed < 1 || done <= r.old.done {
		return 0
	}
	return int64(float64(done-r.old.done) / elapsed)
}

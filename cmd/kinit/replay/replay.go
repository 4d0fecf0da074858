// Package replay reconstructs a run from its log alone: its
// tasks with all their data, its verdict, and the path of tasks that
// determined its duration. Reports of every format and the terminal's text use it.
package replay

import (
	"slices"
	"time"

	"kinit/cmd/kinit/runlog"
	"kinit/engine"
	"kinit/engine/event"
)

// Run is a run as recorded in its log.
type Run struct {
	ID       string
	Header   runlog.Header
	Verdict  Verdict
	ExitCode int // -1 when the run did not come to its end
	Started  time.Time
	Ended    time.Time // of the last event, where the run did not come to its end
	Plan     event.Plan
	Tasks    []*Task // in plan order; without a plan, in the order of their events
	Stages   []engine.StageTime
	Hosts    []engine.HostCounts
	Counts   map[event.Status]int
	Outputs  []engine.Output
	Removals []event.Removal // what was removed, or would be
	Problems []event.Problem // in plan order
	Critical []*Task         // the tasks that took the time, in the order of their start
	Total    int             // tasks of the main section
	Damaged  int             // lines of the log that could not be read
	Torn     bool            // the log's last line is not whole
}

// Task is a task as recorded in the log.
type Task struct {
	event.Task
	Index     int          // in Run.Tasks
	Status    event.Status // empty when it did not come to its end
	Started   time.Time    // zero when it did not start
	Ended     time.Time
	Duration  time.Duration // how long it was at work, attempts and the time between them included
	Message   string        // the error, or why it was skipped
	Steps     []Step        // of the last attempt
	Attempts  []Attempt
	Arguments []event.Value
	Outputs   []event.Value
	Problems  []event.Problem
	Critical  bool // it is on the path that took the time

	planned bool
}

// Step is one change.
type Step struct {
	Text    string    // with its diff
	Started time.Time // zero in a dry run
	Done    bool
}

// Attempt is a failed attempt that was followed by another.
type Attempt struct {
	Number  int // from 1
	Ended   time.Time
	Message string
}

// Of reconstructs a run from its log.
func Of(log *runlog.Run) *Run {
	b := &builder{run: &Run{
		ID: log.ID, Header: log.Header, ExitCode: -1, Started: log.Header.Started, Ended: log.Header.Started,
		Counts: map[event.Status]int{}, Damaged: log.Damaged, Torn: log.Torn,
	}, tasks: map[string]*Task{}}
	for _, e := range log.Events {
		b.take(e)
	}
	b.finish(log)
	return b.run
}

// builder is the state of one Of.
type builder struct {
	run   *Run
	tasks map[string]*Task // by address
}

func (b *builder) take(e event.Event) {
	if e.Time.After(b.run.Ended) {
		b.run.Ended = e.Time
	}
	switch e.Kind {
	case event.RunPlanned:
		b.plan(e.Plan)
	case event.RunStarted:
		b.run.Total = e.Total
	case event.RunFinished:
	default:
		if e.Task != "" { // other events are about the run, such as its wait for another one
			b.task(e).take(e)
		}
	}
}

func (b *builder) plan(p *event.Plan) {
	if p == nil {
		return
	}
	b.run.Plan, b.run.Removals = *p, p.Removals
	for _, planned := range p.Tasks {
		t := b.add(planned)
		t.planned = true
	}
}

func (b *builder) add(planned event.Task) *Task {
	t := &Task{Task: planned, Index: len(b.run.Tasks)}
	b.run.Tasks = append(b.run.Tasks, t)
	b.tasks[planned.Address] = t
	return t
}

// task is the one that an event is about. A log of an earlier kinit has no plan.
func (b *builder) task(e event.Event) *Task {
	if t := b.tasks[e.Task]; t != nil {
		return t
	}
	return b.add(event.Task{Address: e.Task, Host: e.Host, Stage: e.Stage, Block: -1})
}

func (t *Task) take(e event.Event) {
	switch e.Kind {
	case event.TaskStarted:
		t.Started = e.Time
	case event.TaskArguments:
		t.Arguments = e.Values
	case event.TaskOutputs:
		t.Outputs = e.Values
	case event.TaskProblem:
		if e.Problem != nil {
			t.Problems = append(t.Problems, *e.Problem)
		}
	case event.StepStarted:
		for _, text := range e.Steps {
			t.Steps = append(t.Steps, Step{Text: text, Started: e.Time})
		}
	case event.TaskRetried:
		t.Attempts = append(t.Attempts, Attempt{Number: e.Attempt, Ended: e.Time, Message: e.Message})
		t.Steps = nil
	case event.TaskFinished:
		t.end(e)
	}
}

// end takes the end of the task into account. Steps are done in order, so those
// that were done are the first ones.
func (t *Task) end(e event.Event) {
	t.Status, t.Message, t.Ended, t.Duration = e.Status, e.Message, e.Time, e.Duration
	if t.Started.IsZero() {
		t.Started = e.Time.Add(-e.Duration)
	}
	for i, text := range e.Steps {
		if i < len(t.Steps) {
			t.Steps[i].Text, t.Steps[i].Done = text, true
			continue
		}
		t.Steps = append(t.Steps, Step{Text: text, Done: true})
	}
}

func (b *builder) finish(log *runlog.Run) {
	r := b.run
	for _, t := range r.Tasks {
		if t.Status != "" {
			r.Counts[t.Status]++
		}
	}
	r.Stages, r.Hosts = engine.Recap(r.stageNames(), r.results())
	for _, t := range r.Tasks {
		r.Problems = append(r.Problems, t.Problems...)
	}
	if s := log.Summary; s != nil {
		b.run.Removals = s.Removals
		r.Stages, r.Hosts = s.Stages, s.Hosts
		r.ExitCode, r.Ended, r.Outputs = s.ExitCode, r.Started.Add(s.Duration), outputs(s.Outputs)
		r.Problems = withCommands(s.Diagnostics, r.Problems)
		r.Total = max(r.Total, s.Tasks)
	}
	r.Verdict = verdict(log)
	r.Critical = critical(r)
}

// stageNames are the stages in the order of the playbook; without a plan, in the
// order of the events of their tasks.
func (r *Run) stageNames() []string {
	var names []string
	seen := map[string]bool{}
	for _, s := range r.Plan.Stages {
		names, seen[s.Name] = append(names, s.Name), true
	}
	for _, t := range r.Tasks {
		if !seen[t.Stage] && t.Stage != "" {
			names, seen[t.Stage] = append(names, t.Stage), true
		}
	}
	return names
}

// Task returns the task with an address, or nil.
func (r *Run) Task(address string) *Task {
	i := slices.IndexFunc(r.Tasks, func(t *Task) bool { return t.Address == address })
	if i < 0 {
		return nil
	}
	return r.Tasks[i]
}

// Duration is how long the run took, or has taken.
func (r *Run) Duration() time.Duration { return r.Ended.Sub(r.Started) }

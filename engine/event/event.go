// Package event says what happens in a run, to whoever shows or keeps it.
//
// The engine never prints: it emits events to a Sink, and the terminal view,
// the JSON stream and the run log are sinks.
package event

import "time"

// Sink takes events. Emit is called from many goroutines and must not block
// for long.
type Sink interface {
	Emit(Event)
}

// Kind says what an event is about.
type Kind string

// The kinds of events, in the order in which a run emits them.
const (
	RunWaits      Kind = "run_waits"   // for another run; Message says for whom, Host where
	RunTook       Kind = "run_took"    // over from another run; Message says what, Host where
	RunPlanned    Kind = "run_planned" // the graph is known; nothing was done yet
	RunStarted    Kind = "run_started"
	TaskStarted   Kind = "task_started"
	TaskArguments Kind = "task_arguments" // they are known; once a task
	TaskProgress  Kind = "task_progress"
	StepStarted   Kind = "step_started"
	TaskRetried   Kind = "task_retried"
	TaskOutputs   Kind = "task_outputs" // what tasks that refer to it get to see
	TaskProblem   Kind = "task_problem" // comes before its TaskFinished
	TaskFinished  Kind = "task_finished"
	RunFinished   Kind = "run_finished"
)

// Status is how a task ended.
type Status string

// The ways in which a task ends; users of Ansible know them.
const (
	OK          Status = "ok"
	Changed     Status = "changed"
	Failed      Status = "failed"
	Skipped     Status = "skipped"
	Unreachable Status = "unreachable"
)

// Event is one thing that happened. Fields that a kind does not use are zero.
type Event struct {
	Time     time.Time     `json:"time"`
	Kind     Kind          `json:"kind"`
	Task     string        `json:"task,omitempty"`     // address, such as task.file.motd["web1"]
	Host     string        `json:"host,omitempty"`     // the host the task works on
	Stage    string        `json:"stage,omitempty"`    // the task's stage, may be empty
	Status   Status        `json:"status,omitempty"`   // of TaskFinished
	Steps    []string      `json:"steps,omitempty"`    // of TaskFinished: what changed, or would
	Message  string        `json:"message,omitempty"`  // of TaskFinished: the error, why it was skipped, or what it tells
	Duration time.Duration `json:"duration,omitempty"` // of finished kinds, in nanoseconds
	Attempt  int           `json:"attempt,omitempty"`  // of TaskRetried: the attempt that failed, from 1
	Progress *Progress     `json:"progress,omitempty"` // of TaskProgress
	Total    int           `json:"total,omitempty"`    // of RunStarted: the number of tasks
	Plan     *Plan         `json:"plan,omitempty"`     // of RunPlanned
	Values   []Value       `json:"values,omitempty"`   // of TaskArguments and TaskOutputs
	Problem  *Problem      `json:"problem,omitempty"`  // of TaskProblem
}

// Progress says how far a long task is.
type Progress struct {
	Text  string `json:"text,omitempty"`  // what is done right now, lower case, no full stop
	Done  int64  `json:"done,omitempty"`  // bytes, where Total is known or not
	Total int64  `json:"total,omitempty"` // bytes, 0 when unknown
}

// Discard is a sink that forgets everything.
type Discard struct{}

// Emit forgets the event.
func (Discard) Emit(Event) {}

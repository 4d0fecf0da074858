// Package event defines the events of a run, for views and logs.
//
// The engine never prints: it emits events to a Sink, and the terminal view,
// the JSON stream and the run log are sinks.
package event

import "time"

// Sink receives events. Emit is called from many goroutines and must not block for long.
type Sink interface {
	Emit(Event)
}

// Kind is the type of an event.
type Kind string

// The kinds of events, in the order in which a run emits them.
const (
	RunWaits   Kind = "run_waits"   // for another run; Message describes that run, Host is the place
	RunTook    Kind = "run_took"    // from another run; Message describes what, Host is the place
	RunPlanned Kind = "run_planned" // the graph is known; nothing was done yet
	RunStarted Kind = "run_started"
	// HandlerPending comes before TaskStarted of a handler that an earlier run has left; Message names who notified it, and when.
	HandlerPending Kind = "handler_pending"
	TaskStarted    Kind = "task_started"
	TaskArguments  Kind = "task_arguments" // the arguments are known; once for each task
	TaskProgress   Kind = "task_progress"
	StepStarted    Kind = "step_started"
	TaskRetried    Kind = "task_retried"
	TaskOutputs    Kind = "task_outputs" // the values for tasks that refer to it
	TaskProblem    Kind = "task_problem" // comes before its TaskFinished
	TaskFinished   Kind = "task_finished"
	RunFinished    Kind = "run_finished"
)

// Status is how a task ended.
type Status string

// The results of a task, named as in Ansible.
const (
	OK          Status = "ok"
	Changed     Status = "changed"
	Failed      Status = "failed"
	Skipped     Status = "skipped"
	Unreachable Status = "unreachable"
)

// Event is one event. Fields that a kind does not use are zero.
type Event struct {
	Time     time.Time     `json:"time"`
	Kind     Kind          `json:"kind"`
	Task     string        `json:"task,omitempty"`     // address, such as task.file.motd["web1"]
	Host     string        `json:"host,omitempty"`     // the host the task works on
	Stage    string        `json:"stage,omitempty"`    // the task's stage, may be empty
	Status   Status        `json:"status,omitempty"`   // of TaskFinished
	Steps    []string      `json:"steps,omitempty"`    // of TaskFinished: what changed, or would
	Message  string        `json:"message,omitempty"`  // of TaskFinished: the error, why it was skipped, or the task's message
	Duration time.Duration `json:"duration,omitempty"` // of finished kinds, in nanoseconds
	Attempt  int           `json:"attempt,omitempty"`  // of TaskRetried: the attempt that failed, from 1
	Progress *Progress     `json:"progress,omitempty"` // of TaskProgress
	Total    int           `json:"total,omitempty"`    // of RunStarted: the number of tasks
	Plan     *Plan         `json:"plan,omitempty"`     // of RunPlanned
	Values   []Value       `json:"values,omitempty"`   // of TaskArguments and TaskOutputs
	Problem  *Problem      `json:"problem,omitempty"`  // of TaskProblem
}

// Progress is the progress of a long task.
type Progress struct {
	Text  string `json:"text,omitempty"`  // the current activity, lower case, no full stop
	Done  int64  `json:"done,omitempty"`  // bytes, even if Total is unknown
	Total int64  `json:"total,omitempty"` // bytes, 0 when unknown
}

// Discard is a sink that drops all events.
type Discard struct{}

// Emit drops the event.
func (Discard) Emit(Event) {}

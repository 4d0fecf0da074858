package run

import (
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// TaskResult is how one task ended.
type TaskResult struct {
	Address  string
	Host     string
	Stage    string
	Status   event.Status
	Steps    []string         // what was changed, or would be
	Pending  bool             // in a dry run: its changes are known only after other tasks
	Loose    bool             // in a dry run: other tasks may change what it does, as it refers to what they make
	Removes  []module.Removed // objects with data that were removed, or would be
	Message  string           // the error, or why the task was skipped; redacted
	Range    hcl.Range        // of the task's block
	Started  time.Time
	Duration time.Duration
}

// ending is the state of a finished task.
type ending struct {
	task     *plan.Task
	result   TaskResult
	pending  bool // in a dry run: it would change something, so its values are not known
	declined bool // the user declined it
	undone   bool // it failed, or was skipped because of a failure
	diags    diag.List
}

// skipped returns the ending of a task that was not done.
func skipped(t *plan.Task, why string) ending {
	return ending{task: t, result: TaskResult{Status: event.Skipped, Message: why}}
}

// changed reports whether the task changed something, even if it failed or was interrupted afterwards. The steps
// of a task that is ok count for nothing: it only waited, or changed_when says so.
func (end ending) changed() bool {
	return end.result.Status == event.Changed || end.result.Status != event.OK && len(end.result.Steps) > 0
}

// failed reports whether the task itself failed.
func (end ending) failed() bool {
	return end.result.Status == event.Failed || end.result.Status == event.Unreachable
}

// tried reports whether the run got to the task.
func (end ending) tried() bool { return !end.undone || end.failed() }

// why returns the reason to skip the tasks that depend on this one.
func (end ending) why() string {
	if end.result.Status == event.Skipped {
		return end.result.Message
	}
	return "after the failure of " + end.task.Address
}

// endings holds how the finished tasks ended. It is safe for use by several goroutines.
type endings struct {
	mu      sync.Mutex
	ended   map[string]ending // by address
	closed  map[string]string // by key of a gate that lets nothing pass: why
	dropped map[string]string // by host: why it is left out
	lost    map[string]string // by host: why nothing more is tried on it
}

func newEndings() *endings {
	return &endings{ended: map[string]ending{}, closed: map[string]string{}, dropped: map[string]string{}, lost: map[string]string{}}
}

// add keeps how a task ended, once: it returns false if that is known already.
func (r *endings) add(end ending) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := end.task
	if _, known := r.ended[t.Address]; known {
		return false
	}
	r.ended[t.Address] = end
	if end.result.Status == event.Unreachable && r.lost[t.Host] == "" {
		r.lost[t.Host] = end.why()
	}
	return true
}

// of returns how a task ended, empty if it has not ended.
func (r *endings) of(address string) ending {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended[address]
}

// has reports whether a task has ended, or was skipped.
func (r *endings) has(t *plan.Task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, has := r.ended[t.Address]
	return has
}

// isLost reports whether nothing more is tried on a host.
func (r *endings) isLost(host string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost[host] != ""
}

// because returns why the tasks that depend on a failed key are skipped.
func (r *endings) because(cause string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.closed[cause]; why != "" {
		return why
	}
	if end, ended := r.ended[cause]; ended {
		return end.why()
	}
	return "after the failure of " + cause
}

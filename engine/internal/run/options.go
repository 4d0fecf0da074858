package run

import (
	"context"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/factcache"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Options is what a run needs besides the plan.
type Options struct {
	Check     bool    // read only, and report what would change
	Offline   bool    // with Check: ask no host; what tasks would change is not known
	Ahead     bool    // with Check: look at all tasks at once, then report them in order
	Confirm   Confirm // asked before each task that would change something; nil allows all
	Forks     int     // how many tasks run at the same time, at least 1
	Expect    Expect  // limits the changes of each task; nil allows all
	Removes   Removes // decides about objects with data that a task removes; nil allows all
	Cwd, Home string  // on this machine: the folder that relative paths start from, and the user's home folder
	Events    event.Sink
	Redactor  *secret.Redactor
	FactCache FactCache // the zero value keeps nothing
	Pending   Pending   // the zero value keeps nothing
	// Lasting ends when the run must stop completely, tasks of always included; nil never
	// ends.
	Lasting context.Context
	// Timeout limits an attempt at a task without a timeout, 30 min if 0.
	Timeout time.Duration
}

// Confirm decides whether a task, named by its address, is done. steps are its changes, redacted, or nil if they
// are not known before it runs. It may be called by several goroutines at once. An error
// fails the task.
type Confirm func(ctx context.Context, task, host string, steps []string) (bool, error)

// Expect decides whether a task may do its steps, which are redacted. edited is whether another task
// of the run has changed the file that the task edits. An error fails the task before it has changed anything. It may be called by several goroutines at once.
type Expect func(t *plan.Task, steps []string, edited bool) error

// Removes decides whether a task may remove objects with data from a host. An error fails the task before it has
// changed anything. It may be called by several goroutines at once.
type Removes func(ctx context.Context, host string, objects []module.Removed) error

// FactCache gives access to values that earlier runs have read from hosts.
type FactCache struct {
	Store    factcache.Store
	Identify func(host string) (string, error) // how a host is reached, and its keys
	Fresh    bool                              // read everything again
}

// Package selection removes the tasks from a graph that a run does not do.
//
// Its files, each of which uses those before it alone: flags.go, tags.go, selection.go.
package selection

import (
	"kinit/engine/diag"
	"kinit/engine/internal/plan/dag"
)

// Flags selects the tasks of a run.
type Flags struct {
	StopAfter string   // the last stage
	StartAt   string   // the first stage; earlier tasks are left out unless their values are needed
	Only      []string // stages, names or addresses of tasks; with the tasks whose values they read
	Skip      []string // stages, names or addresses of tasks to leave out
	Tags      []string // tasks with one of these tags, and those with "always"; empty means all but those with "never"
	SkipTags  []string // tasks with one of these tags are left out
	Limit     []string // patterns of hosts; tasks on others are left out, except needed tasks of the local machine
}

// selector is the state of one Apply. No other package sees it.
type selector struct {
	*dag.Graph
	diag.Collector
	flags Flags
}

package engine

import (
	"context"
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/run"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/topology"
)

// Result is how one task ended.
type Result = run.TaskResult

// StageTime is how long a stage's own tasks took, from the first start to the last end.
type StageTime struct {
	Stage    string        `json:"stage"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Tasks    int           `json:"tasks"`
}

// HostCounts is a host's line of the recap.
type HostCounts struct {
	Host        string `json:"host"`
	OK          int    `json:"ok"`
	Changed     int    `json:"changed"`
	Failed      int    `json:"failed"`
	Skipped     int    `json:"skipped"`
	Unreachable int    `json:"unreachable"`
}

// Hidden replaces a sensitive value in all output.
const Hidden = sensitive.Shown

// Output is a named result of a playbook.
type Output struct {
	Name      string
	Value     string // text, or JSON if the value is no text; Hidden if it is sensitive
	Sensitive bool
}

// Report is the result of a run, a plan or a validation.
type Report struct {
	Cluster     string // the cluster's name, empty without one
	Offline     bool   // no host was asked, so the cluster is shown as if it were new
	Invalid     bool   // the spec or the inventory has errors; nothing was done
	Interrupted bool   // the context ended before the run
	Tasks       int    // how many tasks the plan has
	Results     []Result
	Stages      []StageTime // in the order of the playbook
	Hosts       []HostCounts
	Outputs     []Output
	Removals    []Removal // that were done, or would be; By is empty for what nothing names
	Enrols      []string  // hosts that become hypervisors of a new cluster without being named
	Returning   []string  // nodes that have left, and that another run recreates
	Duration    time.Duration
	Diagnostics diag.List
	Sources     map[string]*hcl.File // for snippets
}

// Refused reports whether a run would be refused because of what the hosts have.
func (r *Report) Refused() bool { return r.Diagnostics.Is(topology.ErrExisting) }

// Changes counts the tasks that changed something, or would.
func (r *Report) Changes() int {
	n := 0
	for _, result := range r.Results {
		if result.Status == event.Changed {
			n++
		}
	}
	return n
}

func (r *Report) refuse(diags diag.List) *Report {
	r.Diagnostics = append(r.Diagnostics, diags...)
	return r
}

// end records how long the run took and whether it was interrupted.
func (r *Report) end(ctx context.Context, started time.Time) *Report {
	r.Interrupted = ctx.Err() != nil
	r.Duration = time.Since(started)
	return r
}

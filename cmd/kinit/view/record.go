package view

import (
	"time"

	"kinit/engine"
	"kinit/engine/event"
)

// SummaryKind is the kind of a Summary, where events have theirs.
const SummaryKind = "summary"

// Summary is the last line of the JSON view and of a run's log. Durations are in
// nanoseconds, as in events.
type Summary struct {
	Kind        string               `json:"kind"` // "summary"
	Spec        string               `json:"spec"`
	ExitCode    int                  `json:"exit_code"`
	Cluster     string               `json:"cluster,omitempty"`
	Offline     bool                 `json:"offline,omitempty"` // no host was asked: the cluster is shown as a new one
	Tasks       int                  `json:"tasks"`             // of the plan
	Duration    time.Duration        `json:"duration"`
	Counts      map[event.Status]int `json:"counts"` // of tasks
	Hosts       []engine.HostCounts  `json:"hosts"`
	Stages      []engine.StageTime   `json:"stages"`
	Outputs     map[string]string    `json:"outputs"`
	Removals    []engine.Removal     `json:"removals,omitempty"` // by is missing of what nothing names
	Diagnostics []event.Problem      `json:"diagnostics"`
}

// NewSummary sums up the report of a spec. Lists are never null.
func NewSummary(spec string, r *engine.Report, code int) Summary {
	s := Summary{
		Kind: SummaryKind, Spec: spec, ExitCode: code, Cluster: r.Cluster, Offline: r.Offline, Removals: r.Removals, Tasks: r.Tasks, Duration: r.Duration,
		Counts: counts(r.Results), Hosts: append([]engine.HostCounts{}, r.Hosts...), Stages: append([]engine.StageTime{}, r.Stages...),
		Outputs: map[string]string{}, Diagnostics: []event.Problem{},
	}
	for _, o := range r.Outputs {
		s.Outputs[o.Name] = o.Value
	}
	for _, d := range r.Diagnostics {
		p := d.Problem()
		p.Source = source(d, r.Sources)
		s.Diagnostics = append(s.Diagnostics, p)
	}
	return s
}

// counts counts tasks by how they ended; each status has a number.
func counts(results []engine.Result) map[event.Status]int {
	n := map[event.Status]int{event.OK: 0, event.Changed: 0, event.Failed: 0, event.Skipped: 0, event.Unreachable: 0}
	for _, r := range results {
		n[r.Status]++
	}
	return n
}

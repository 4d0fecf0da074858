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
	Kind        string            `json:"kind"` // "summary"
	Spec        string            `json:"spec"`
	ExitCode    int               `json:"exit_code"`
	Cluster     string            `json:"cluster,omitempty"`
	Tasks       int               `json:"tasks"` // of the plan
	Duration    time.Duration     `json:"duration"`
	Counts      map[string]int    `json:"counts"` // tasks by status
	Hosts       []HostSummary     `json:"hosts"`
	Stages      []StageSummary    `json:"stages"`
	Outputs     map[string]string `json:"outputs"`
	Diagnostics []event.Problem   `json:"diagnostics"`
}

// HostSummary is one host's line of the recap.
type HostSummary struct {
	Host        string `json:"host"`
	OK          int    `json:"ok"`
	Changed     int    `json:"changed"`
	Failed      int    `json:"failed"`
	Skipped     int    `json:"skipped"`
	Unreachable int    `json:"unreachable"`
}

// StageSummary is how long a stage's tasks were at work.
type StageSummary struct {
	Stage    string        `json:"stage"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Tasks    int           `json:"tasks"`
}

// NewSummary sums up the report of a spec. Lists are never null.
func NewSummary(spec string, r *engine.Report, code int) Summary {
	s := Summary{
		Kind: SummaryKind, Spec: spec, ExitCode: code, Cluster: r.Cluster, Tasks: r.Tasks, Duration: r.Duration,
		Counts: counts(r.Results), Hosts: []HostSummary{}, Stages: []StageSummary{},
		Outputs: map[string]string{}, Diagnostics: []event.Problem{},
	}
	for _, h := range r.Hosts {
		s.Hosts = append(s.Hosts, HostSummary(h))
	}
	for _, stage := range r.Stages {
		s.Stages = append(s.Stages, StageSummary(stage))
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

// Recap is the summary's stages and hosts as a report has them.
func (s *Summary) Recap() ([]engine.StageTime, []engine.HostCounts) {
	stages, hosts := make([]engine.StageTime, len(s.Stages)), make([]engine.HostCounts, len(s.Hosts))
	for i, stage := range s.Stages {
		stages[i] = engine.StageTime(stage)
	}
	for i, h := range s.Hosts {
		hosts[i] = engine.HostCounts(h)
	}
	return stages, hosts
}

func counts(results []engine.Result) map[string]int {
	n := map[string]int{}
	for _, status := range []event.Status{event.OK, event.Changed, event.Failed, event.Skipped, event.Unreachable} {
		n[string(status)] = 0
	}
	for _, r := range results {
		n[string(r.Status)]++
	}
	return n
}

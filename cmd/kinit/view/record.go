package view

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

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
	Diagnostics []Problem         `json:"diagnostics"`
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

// Problem is a diagnostic.
type Problem struct {
	Severity string `json:"severity"` // "error" or "warning"
	Summary  string `json:"summary"`
	Detail   string `json:"detail,omitempty"`
	Address  string `json:"address,omitempty"`
	Host     string `json:"host,omitempty"`
	Range    *Range `json:"range,omitempty"`
}

// Range is a place in a file; lines and columns count from 1.
type Range struct {
	File  string   `json:"file"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is one end of a range.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// NewSummary sums up the report of a spec. Lists are never null.
func NewSummary(spec string, r *engine.Report, code int) Summary {
	s := Summary{
		Kind: "summary", Spec: spec, ExitCode: code, Cluster: r.Cluster, Tasks: r.Tasks, Duration: r.Duration,
		Counts: counts(r.Results), Hosts: []HostSummary{}, Stages: []StageSummary{},
		Outputs: map[string]string{}, Diagnostics: []Problem{},
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
		s.Diagnostics = append(s.Diagnostics, problem(d))
	}
	return s
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

func problem(d diag.Diagnostic) Problem {
	p := Problem{Severity: "error", Summary: d.Summary, Detail: d.Detail, Address: d.Address, Host: d.Host}
	if d.Warning {
		p.Severity = "warning"
	}
	if d.Subject != nil {
		p.Range = &Range{File: d.Subject.Filename, Start: position(d.Subject.Start), End: position(d.Subject.End)}
	}
	return p
}

func position(p hcl.Pos) Position { return Position{Line: p.Line, Column: p.Column} }

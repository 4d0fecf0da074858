package engine

import (
	"context"

	"kinit/engine/event"
)

// HostStatus is whether a host of a spec answers.
type HostStatus struct {
	Host    string
	Address string
	Answers bool
	Message string // why it does not answer, or its state
}

// StageStatus is how much of a stage is in place.
type StageStatus struct {
	Stage   string
	InPlace int // tasks with nothing to do
	ToDo    int // tasks that would change something, or are not known yet
	Failed  int // tasks that could not be read
}

// Status is the current state of a spec.
type Status struct {
	Hosts  []HostStatus
	Stages []StageStatus
}

// State reads the current state of a spec: which of its hosts answer, and how much of each
// stage is in place. It changes nothing.
func State(ctx context.Context, o Options) (Status, *Report) {
	p, report := perform(ctx, o, looks)
	if p.plan == nil {
		return Status{}, report
	}
	return Status{Hosts: hostStatus(report), Stages: stageStatus(report)}, report
}

// hostStatus derives the status of each host from its tasks: a host answers if one of its
// tasks was read.
func hostStatus(r *Report) []HostStatus {
	var out []HostStatus
	index := map[string]int{}
	for _, result := range r.Results {
		entryOf(&out, index, result.Host, HostStatus{Host: result.Host, Message: "not there yet"}).learn(result)
	}
	return out
}

func (h *HostStatus) learn(r Result) {
	switch {
	case r.Status == event.Unreachable:
		h.Answers, h.Message = false, event.FirstLine(r.Message)
	case h.Message == "not there yet" && (r.Status == event.OK || r.Status == event.Changed && !r.Pending):
		h.Answers, h.Message = true, "answers"
	}
}

func stageStatus(r *Report) []StageStatus {
	var out []StageStatus
	index := map[string]int{}
	for _, result := range r.Results {
		if result.Stage != "" {
			entryOf(&out, index, result.Stage, StageStatus{Stage: result.Stage}).count(result.Status)
		}
	}
	return out
}

func (s *StageStatus) count(status event.Status) {
	switch status {
	case event.OK:
		s.InPlace++
	case event.Changed:
		s.ToDo++
	case event.Failed, event.Unreachable:
		s.Failed++
	}
}

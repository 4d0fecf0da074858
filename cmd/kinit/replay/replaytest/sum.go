package replaytest

import (
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
)

// host counts a task for its host.
func host(s *view.Summary, known map[string]int, e event.Event) {
	i, ok := known[e.Host]
	if !ok {
		i = len(s.Hosts)
		known[e.Host] = i
		s.Hosts = append(s.Hosts, engine.HostCounts{Host: e.Host})
	}
	h := &s.Hosts[i]
	switch e.Status {
	case event.OK:
		h.OK++
	case event.Changed:
		h.Changed++
	case event.Failed:
		h.Failed++
	case event.Skipped:
		h.Skipped++
	case event.Unreachable:
		h.Unreachable++
	}
}

// stage makes the time of a task's stage longer.
func stage(s *view.Summary, known map[string]int, e event.Event) {
	if e.Stage == "" || e.Status == event.Skipped {
		return
	}
	started := e.Time.Add(-e.Duration)
	i, ok := known[e.Stage]
	if !ok {
		i = len(s.Stages)
		known[e.Stage] = i
		s.Stages = append(s.Stages, engine.StageTime{Stage: e.Stage, Started: started})
	}
	one := &s.Stages[i]
	if started.Before(one.Started) {
		one.Duration += one.Started.Sub(started)
		one.Started = started
	}
	one.Duration = max(one.Duration, e.Time.Sub(one.Started))
	one.Tasks++
}

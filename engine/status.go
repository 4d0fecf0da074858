package engine

import (
	"context"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/sensitive"
)

// HostStatus is whether a host of a spec answers.
type HostStatus struct {
	Host    string
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

// Difference is a task that finds its host not as declared.
type Difference struct {
	Task    string // its address
	Host    string
	Stage   string
	Steps   []string  // what a run would change
	Pending bool      // what a run would change is known only after other tasks
	Message string    // why the host could not be read, if it could not
	Range   hcl.Range // of the task's block
}

// Status is the current state of a spec.
type Status struct {
	Hosts       []HostStatus
	Stages      []StageStatus
	Differences []Difference      // in the order of the tasks, without those of hosts that do not answer
	Observed    map[string]string // the values, as JSON, of those outputs that the caller named and the playbook has
}

// State reads the current state of a spec: which of its hosts answer, how much of each
// stage is in place, and what is not as declared. Outputs come with it, of those names that the
// playbook has: what could not be read is null in them. It changes nothing.
func State(ctx context.Context, o Options, outputs ...string) (Status, *Report) {
	p, report := perform(ctx, o, modeStatus)
	if p.plan == nil || report.Interrupted {
		return Status{}, report
	}
	return Status{
		Hosts: hostStatus(report, p.connections), Stages: stageStatus(report), Differences: differences(report),
		Observed: observed(p.plan, p.values, report, outputs),
	}, report
}

// Observe reads outputs, of those names that the playbook has, without changing anything. What
// could not be read, or is not there yet, is null in them.
func Observe(ctx context.Context, o Options, outputs ...string) (map[string]string, *Report) {
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	defer func() { p.close() }()
	if p.plan == nil {
		return nil, report
	}
	var needs []string
	for _, name := range outputs {
		if found := p.plan.Output(name); found != nil {
			needs = append(needs, found.Needs...)
		}
	}
	p, result := p.lookAt(ctx, report, needs, true)
	if result != nil {
		p.fill(report, result) // a task that would change something has no values
	}
	if report.Interrupted || p.plan == nil {
		return nil, report
	}
	return observed(p.plan, p.values, report, outputs), report
}

// observed returns the values of outputs, in which tasks without values are null.
func observed(p *plan.Plan, values *plan.Values, report *Report, names []string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		found := p.Output(name)
		if found == nil {
			continue
		}
		for _, address := range found.Pending(values) {
			values.Set(address, nil)
		}
		value, diags := found.Value(values)
		report.refuse(diags)
		if !diags.HasErrors() && !value.IsNull() {
			all[name] = sensitive.Text(value)
		}
	}
	return all
}

// hostStatus derives the status of each host from its tasks: a host answers if one of its
// tasks was read, or if it was reached for a task that was then left out.
func hostStatus(r *Report, connections *host.Connections) []HostStatus {
	var out []HostStatus
	index := map[string]int{}
	for _, result := range r.Results {
		entryOf(&out, index, result.Host, HostStatus{Host: result.Host, Message: "not there yet"}).learn(result)
	}
	for i, h := range out {
		if h.Message == "not there yet" && connections.Connected(h.Host, nil) != nil {
			out[i].Answers, out[i].Message = true, "answers"
		}
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

// differences lists the tasks that would change something, and those that failed.
func differences(r *Report) (all []Difference) {
	for _, t := range r.Results {
		if t.Status != event.Changed && t.Status != event.Failed {
			continue
		}
		d := Difference{Task: t.Address, Host: t.Host, Stage: t.Stage, Steps: t.Steps, Pending: t.Pending, Range: t.Range}
		if t.Status == event.Failed {
			d.Message = event.FirstLine(t.Message)
		}
		all = append(all, d)
	}
	return all
}

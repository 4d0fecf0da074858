package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/transport"
)

// failure is the first failure of a job.
type failure struct {
	verdict result.Verdict
	phase   result.PhaseName
	stage   string // of the playbook
	problem result.Problem
	at      *phase // the failed phase; nil if no phase ran
}

// masked masks the problem with secrets that became known after it was reported.
func (f *failure) masked() *result.Problem {
	p := f.problem
	if f.at == nil || f.at.Redact == nil {
		return &p
	}
	for _, text := range []*string{&p.Summary, &p.Detail, &p.Address} {
		*text = f.at.Redact(*text)
	}
	p.Lines = slices.Clone(p.Lines)
	for i := range p.Lines {
		p.Lines[i].Text = f.at.Redact(p.Lines[i].Text)
	}
	if p.Command != nil {
		p.Command = &event.Command{Line: f.at.Redact(p.Command.Line), Code: p.Command.Code}
	}
	return &p
}

func (e *execution) invalid(report *engine.Report) *failure {
	f, run := &failure{verdict: result.Failed, phase: result.Deploy}, &replay.Run{}
	run.Problems = view.NewSummary(e.job.Spec, report, 0).Diagnostics
	if first := run.FirstError(); first != nil {
		f.problem = newProblem(run, *first)
	}
	return f
}

// blamed is the failure of a phase, with its cause: product, infrastructure, or a refusal of kinit.
func (e *execution) blamed(p *phase) *failure {
	f := &failure{verdict: result.Failed, phase: p.name, at: p}
	run := p.replay()
	if p.run == nil {
		run.Problems = view.NewSummary(e.job.Spec, p.Report, 0).Diagnostics
	}
	first := run.FirstError()
	if first == nil {
		first = &event.Problem{Severity: "error", Summary: "Failed without an error", Detail: "This is a bug in kinit; its log has more."}
	}
	f.problem = newProblem(run, *first)
	if t := run.Task(first.Address); t != nil {
		f.stage = t.Stage
	}
	switch {
	case taken(p.Report):
		f.verdict = result.Refused
	case e.outside(p, run) || slices.Contains(e.job.Infrastructure, f.stage):
		f.verdict = result.Infrastructure
	}
	return f
}

// outside reports whether the failure is not the product's fault: a
// hypervisor that cannot be reached or whose disk is full, or another active run. A failure
// of a guest is the product's fault: the product made it.
func (e *execution) outside(p *phase, run *replay.Run) bool {
	return slices.ContainsFunc(p.Report.Diagnostics, func(d diag.Diagnostic) bool {
		if d.Warning {
			return false
		}
		given := d.Host == "" || len(run.Plan.Hosts) == 0 ||
			slices.ContainsFunc(run.Plan.Hosts, func(h event.Host) bool { return h.Name == d.Host })
		return errors.Is(d.Cause, engine.ErrLocked) || errors.Is(d.Cause, engine.ErrLockLost) || given && (cutOff(d.Cause) || full(d))
	})
}

// cutOff reports whether a machine was unusable.
func cutOff(err error) bool {
	return errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrAuth) || errors.Is(err, transport.ErrHostKey) || errors.Is(err, transport.ErrBecome)
}

// full reports whether a disk was full: by the system's error, or by its text, which
// programs write in the C locale.
func full(d diag.Diagnostic) bool {
	return errors.Is(d.Cause, syscall.ENOSPC) || strings.Contains(d.Detail, "No space left on device")
}

// slow is the failure of work that did not end within its time.
func slow(p *phase, limit time.Duration) *failure {
	detail := fmt.Sprintf("It had not ended after %s, which is the job's limit, and was in the phase %s.", view.Seconds(limit), p.name)
	f := &failure{verdict: result.Failed, phase: p.name, at: p}
	problem := event.Problem{Summary: "Timed out", Detail: detail}
	if t := lastAtWork(p.replay()); t != nil {
		problem.Address, problem.Host, f.stage = t.Address, t.Host, t.Stage
		problem.Detail += " At work was " + t.Address + "."
		problem.Range = blockOf(p.run, t)
	}
	f.problem = newProblem(p.replay(), problem)
	return f
}

// lastAtWork returns the last started task that did not end by itself, or nil.
func lastAtWork(run *replay.Run) *replay.Task {
	var last *replay.Task
	for _, t := range run.Tasks {
		open := !t.Started.IsZero() && (t.Status == "" || t.Status == event.Skipped || t.Status == event.Failed)
		if open && (last == nil || t.Started.After(last.Started)) {
			last = t
		}
	}
	return last
}

// failed is a failure of a phase that the record describes by two texts alone.
func failed(v result.Verdict, p *phase, summary, detail string) *failure {
	return &failure{verdict: v, phase: p.name, at: p, problem: signed(result.Problem{Summary: summary, Detail: detail})}
}

// changedAgain is the failure of a second run that changed something.
func changedAgain(p *phase) *failure {
	f := &failure{verdict: result.Failed, phase: p.name, at: p}
	var names []string
	problem := event.Problem{Summary: "Second run changed something"}
	for _, r := range p.Report.Results {
		if r.Status != event.Changed {
			continue
		}
		names = append(names, strings.TrimSpace(r.Address+" on "+r.Host+": "+event.FirstLine(strings.Join(r.Steps, "\n"))))
		if problem.Address == "" {
			problem.Address, problem.Host, f.stage = r.Address, r.Host, r.Stage
		}
	}
	run := p.replay()
	problem.Range = blockOf(run, run.Task(problem.Address))
	problem.Detail = "A spec that is run again must change nothing. These tasks changed something:\n" + some(names)
	f.problem = newProblem(run, problem)
	return f
}

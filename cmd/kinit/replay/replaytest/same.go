package replaytest

import (
	"kinit/cmd/kinit/runlog"
	"kinit/engine/event"
)

// complaint is what the command of SameFailure prints, on each host.
const complaint = "nginx: [emerg] unknown directive srever\nnginx: configuration test failed\n"

// SameFailure is the log of a run in which a command failed on both hosts for the same
// reason.
func SameFailure() *runlog.Run {
	m, p := newMaker("web"), web()
	m.plan(p)
	m.prepare(p.Tasks)
	var all []event.Problem
	for i, t := range p.Tasks[4:6] {
		problem := event.Problem{Severity: "error", Summary: "Command failed", Detail: "command ended with code 1: reload " + t.Host + "\n" + complaint,
			Address: t.Address, Host: t.Host, Range: &event.Range{File: "specs/web.hcl",
				Start: event.Position{Line: 30, Column: 1}, End: event.Position{Line: 30, Column: 24}}}
		told := problem
		told.Command = &event.Command{Line: "reload " + t.Host, Code: 1, Stderr: complaint}
		m.task(t, 6510+i, 9900+i, event.Event{Status: event.Failed, Message: problem.Detail}, event.Event{Kind: event.TaskProblem, Problem: &told})
		all = append(all, problem)
	}
	m.skip(p.Tasks[6], 11_500, "after the failure of "+p.Tasks[4].Address)
	m.skip(p.Tasks[7], 11_500, "after the failure of "+p.Tasks[5].Address)
	return m.end(11_600, 1, all...)
}

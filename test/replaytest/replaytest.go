// Package replaytest has logs of runs for tests: one that went well, one that
// failed, and one of any size.
package replaytest

import (
	"fmt"
	"slices"
	"time"

	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
)

// Start is when all runs started.
func Start() time.Time { return time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC) }

// maker makes a log event by event.
type maker struct {
	log *runlog.Run
}

func newMaker(spec string) *maker {
	return &maker{&runlog.Run{ID: "20250301T120000Z-" + spec, Header: runlog.Header{
		Kind: "kinit_run_log", Version: runlog.Version, Program: "v1.2.3", Command: "kinit run",
		Spec: "specs/" + spec + ".hcl", Started: Start(), Hosts: []string{"web*"}, Variables: []string{"token"},
	}}}
}

func at(ms int) time.Time { return Start().Add(time.Duration(ms) * time.Millisecond) }

func (m *maker) emit(ms int, e event.Event) {
	e.Time = at(ms)
	m.log.Events = append(m.log.Events, e)
}

// task emits the events of a task that ended, but for those that are given, which
// come between its start and its end.
func (m *maker) task(t event.Task, from, to int, end event.Event, between ...event.Event) {
	about := func(e event.Event) event.Event {
		e.Task, e.Host, e.Stage = t.Address, t.Host, t.Stage
		return e
	}
	m.emit(from, about(event.Event{Kind: event.TaskStarted}))
	for _, e := range between {
		m.emit(from+(to-from)/2, about(e))
	}
	end.Kind, end.Duration = event.TaskFinished, time.Duration(to-from)*time.Millisecond
	m.emit(to, about(end))
}

// skip emits the end of a task that never started.
func (m *maker) skip(t event.Task, ms int, why string) {
	m.emit(ms, event.Event{Kind: event.TaskFinished, Task: t.Address, Host: t.Host, Stage: t.Stage, Status: event.Skipped, Message: why})
}

// end emits the end and sums up.
func (m *maker) end(ms, code int, problems ...event.Problem) *runlog.Run {
	m.emit(ms, event.Event{Kind: event.RunFinished, Duration: time.Duration(ms) * time.Millisecond})
	s := &view.Summary{Kind: view.SummaryKind, Spec: m.log.Header.Spec, ExitCode: code, Duration: time.Duration(ms) * time.Millisecond,
		Counts: map[event.Status]int{}, Outputs: map[string]string{"url": "http://web1/", "token": engine.Hidden}, Diagnostics: problems}
	var stages []string
	var results []engine.Result
	if problems == nil {
		s.Diagnostics = m.problems()
	}
	for _, e := range m.log.Events {
		if e.Kind == event.TaskFinished {
			s.Tasks++
			s.Counts[e.Status]++
			if !slices.Contains(stages, e.Stage) {
				stages = append(stages, e.Stage)
			}
			results = append(results, engine.Result{Host: e.Host, Stage: e.Stage, Status: e.Status, Started: e.Time.Add(-e.Duration), Duration: e.Duration})
		}
	}
	s.Stages, s.Hosts = engine.Recap(stages, results)
	m.log.Summary = s
	return m.log
}

// problems are those that tasks told, as a summary has them.
func (m *maker) problems() []event.Problem {
	var all []event.Problem
	for _, e := range m.log.Events {
		if e.Problem != nil {
			p := *e.Problem
			p.Command = nil
			all = append(all, p)
		}
	}
	return all
}

// web is what the runs of the small logs are about: two web servers.
func web() *event.Plan {
	block := func(line int, text string) event.Block {
		return event.Block{Text: text, Range: event.Range{File: "specs/web.hcl",
			Start: event.Position{Line: line, Column: 1}, End: event.Position{Line: line + 8, Column: 2}}}
	}
	p := &event.Plan{
		Hosts:     []event.Host{{Name: "web1", Address: "192.0.2.10"}, {Name: "web2", Address: "192.0.2.11"}},
		Variables: map[string]string{"greeting": "hello", "token": engine.Hidden},
		Stages:    []event.Stage{{Name: "prepare"}, {Name: "serve", After: []string{"prepare"}}, {Name: "verify", After: []string{"serve"}}},
		Blocks: []event.Block{
			block(10, "task \"package\" \"nginx\" {\n  stage = \"prepare\"\n  hosts = run.hosts\n  names = [\"nginx\"]\n}"),
			block(20, "task \"copy\" \"index\" {\n  stage          = \"serve\"\n  hosts          = run.hosts\n  dest           = \"/var/www/html/index.html\"\n  content        = \"${var.greeting}\\n\"\n  depends_on     = [task.package.nginx]\n}"),
			block(30, "task \"command\" \"reload\" {\n  stage = \"serve\"\n  hosts = run.hosts\n  argv  = [\"nginx\", \"-s\", \"reload\"]\n\n  depends_on = [task.copy.index]\n}"),
			block(40, "task \"wait\" \"answers\" {\n  stage = \"verify\"\n  hosts = run.hosts\n  http  = \"http://${each.key}/\"\n}"),
		},
	}
	for b, kind := range []string{"package.nginx", "copy.index", "command.reload", "wait.answers"} {
		for h := range 2 {
			t := event.Task{Address: fmt.Sprintf("task.%s[%q]", kind, p.Hosts[h].Name), Host: p.Hosts[h].Name, Block: b,
				Stage: []string{"prepare", "serve", "serve", "verify"}[b]}
			if b == 1 || b == 2 {
				t.Needs = []int{2*(b-1) + h}
			}
			p.Tasks = append(p.Tasks, t)
		}
	}
	return p
}

func (m *maker) plan(p *event.Plan) {
	m.emit(5, event.Event{Kind: event.RunPlanned, Plan: p})
	m.emit(6, event.Event{Kind: event.RunStarted, Total: len(p.Tasks)})
}

// prepare is what both small runs have done alike: packages and pages.
func (m *maker) prepare(t []event.Task) {
	arguments := event.Event{Kind: event.TaskArguments, Values: []event.Value{{Name: "names", Text: `["nginx"]`}, {Name: "password", Text: "***", Mask: true}}}
	m.task(t[0], 10, 4200, event.Event{Status: event.Changed, Steps: []string{"install nginx"}}, arguments, event.Event{Kind: event.StepStarted, Steps: []string{"install nginx"}})
	m.task(t[1], 10, 6100, event.Event{Status: event.OK}, arguments)
	diff := "write /var/www/html/index.html, 0644\n--- before\n+++ after\n@@ -1 +1 @@\n-hi\n+hello\n"
	m.task(t[2], 6110, 6400, event.Event{Status: event.Changed, Steps: []string{diff}}, event.Event{Kind: event.StepStarted, Steps: []string{diff}},
		event.Event{Kind: event.TaskOutputs, Values: []event.Value{{Name: "path", Text: "/var/www/html/index.html"}, {Name: "sha256", Text: "5891b5b522d5df08"}}})
	m.task(t[3], 6110, 6500, event.Event{Status: event.Changed, Steps: []string{diff}}, event.Event{Kind: event.StepStarted, Steps: []string{diff}})
}

// Success is the log of a run in which all went well.
func Success() *runlog.Run {
	m, p := newMaker("web"), web()
	p.Topology = Cluster()
	m.plan(p)
	m.prepare(p.Tasks)
	m.task(p.Tasks[4], 6410, 6900, event.Event{Status: event.Changed, Steps: []string{"run nginx -s reload"}})
	m.task(p.Tasks[5], 6510, 7400, event.Event{Status: event.Changed, Steps: []string{"run nginx -s reload"}})
	m.task(p.Tasks[6], 7410, 7600, event.Event{Status: event.OK})
	m.task(p.Tasks[7], 7410, 8900, event.Event{Status: event.OK},
		event.Event{Kind: event.TaskRetried, Attempt: 1, Message: "GET http://web2/: connection refused"})
	return m.end(9000, 0)
}

// Hostile is what a host prints to be taken for something else.
const Hostile = "\x1b[31mnginx: [emerg]\x1b[0m unknown directive \"srever\" in /etc/nginx/nginx.conf:4\n" +
	"</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n\u202eevil\u202c 日本語 \x07\x00done"

// Failure is the log of a run in which a command failed, and a host was away.
func Failure() *runlog.Run {
	m, p := newMaker("web"), web()
	m.plan(p)
	m.prepare(p.Tasks)
	command := &event.Command{Line: "nginx -s reload", Code: 1, Stderr: Hostile}
	failed := event.Problem{Severity: "error", Summary: "Command failed", Detail: "command ended with code 1: nginx -s reload\n" + Hostile,
		Address: p.Tasks[4].Address, Host: "web1", Range: &event.Range{File: "specs/web.hcl",
			Start: event.Position{Line: 30, Column: 1}, End: event.Position{Line: 30, Column: 24}}}
	told := failed
	told.Command = command
	m.task(p.Tasks[4], 6410, 9900, event.Event{Status: event.Failed, Message: failed.Detail},
		event.Event{Kind: event.TaskRetried, Attempt: 1, Message: "command ended with code 1: nginx -s reload"},
		event.Event{Kind: event.StepStarted, Steps: []string{"run nginx -s reload"}}, event.Event{Kind: event.TaskProblem, Problem: &told})
	away := event.Problem{Severity: "error", Summary: "Host unreachable", Detail: "dial 192.0.2.11:22: no route to host",
		Address: p.Tasks[5].Address, Host: "web2", Range: failed.Range}
	m.task(p.Tasks[5], 6510, 11_500, event.Event{Status: event.Unreachable, Message: away.Detail}, event.Event{Kind: event.TaskProblem, Problem: &away})
	m.skip(p.Tasks[6], 11_500, "after the failure of "+p.Tasks[4].Address)
	m.skip(p.Tasks[7], 11_500, "after the failure of "+p.Tasks[4].Address)
	failed.Source = &event.Source{In: `task "command" "reload"`, Line: 30, Text: `task "command" "reload" {`}
	warning := event.Problem{Severity: "warning", Summary: "Unused variable", Detail: "Nothing reads the variable \"colour\"."}
	return m.end(11_600, 5, failed, away, warning)
}

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

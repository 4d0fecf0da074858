package replaytest

import (
	"fmt"

	"kinit/cmd/kinit/runlog"
	"kinit/engine/event"
)

// The shape of a large run: every host does the same blocks, a tenth of them in
// each stage.
const (
	largeHosts  = 100
	largeStages = 5
)

// Large is the log of a run of about that many tasks on a hundred hosts. One task
// in a thousand failed.
func Large(tasks int) *runlog.Run {
	m, p := newMaker("large"), &event.Plan{}
	blocks := tasks / largeHosts
	for s := range largeStages {
		stage := event.Stage{Name: fmt.Sprintf("stage-%d", s+1)}
		if s > 0 {
			stage.After = []string{fmt.Sprintf("stage-%d", s)}
		}
		p.Stages = append(p.Stages, stage)
	}
	for b := range blocks {
		line := 10 * b
		text := fmt.Sprintf("task \"copy\" \"file-%02d\" {\n  stage   = \"stage-%d\"\n  hosts   = run.hosts\n  dest    = \"/etc/app/%02d.conf\"\n  content = local.content[%d]\n}", b, b*largeStages/blocks+1, b, b)
		p.Blocks = append(p.Blocks, event.Block{Text: text, Range: event.Range{File: "large.hcl",
			Start: event.Position{Line: line + 1, Column: 1}, End: event.Position{Line: line + 6, Column: 2}}})
		for h := range largeHosts {
			host := fmt.Sprintf("node-%03d", h+1)
			t := event.Task{Address: fmt.Sprintf("task.copy.file-%02d[%q]", b, host), Host: host, Block: b, Stage: fmt.Sprintf("stage-%d", b*largeStages/blocks+1)}
			if n := len(p.Tasks) - largeHosts; n >= 0 && p.Tasks[n].Stage == t.Stage {
				t.Needs = []int{n}
			}
			p.Tasks = append(p.Tasks, t)
		}
	}
	m.plan(p)
	return m.end(m.walk(p), 1)
}

// walk does the tasks: a host one after the other, a stage when the one before is
// done. It returns when the last one ended.
func (m *maker) walk(p *event.Plan) int {
	free, stage, barrier, last := map[string]int{}, "", 10, 10
	for i, t := range p.Tasks {
		if t.Stage != stage {
			stage, barrier = t.Stage, last
		}
		from := max(free[t.Host], barrier)
		to := from + 200 + (i*7919)%900
		free[t.Host], last = to, max(last, to)
		m.largeTask(t, i, from, to)
	}
	return last + 5
}

func (m *maker) largeTask(t event.Task, i, from, to int) {
	step := fmt.Sprintf("write /etc/app/%02d.conf, 0644\n@@ -1,3 +1,3 @@\n-listen = 80%02d\n+listen = 81%02d\n name = %q", t.Block, i%100, i%100, t.Host)
	arguments := event.Event{Kind: event.TaskArguments, Values: []event.Value{{Name: "dest", Text: fmt.Sprintf("/etc/app/%02d.conf", t.Block)}, {Name: "mode", Text: "0644"}}}
	switch {
	case i%1000 == 777:
		problem := &event.Problem{Severity: "error", Summary: "Task failed", Detail: "write /etc/app: no space left on device", Address: t.Address, Host: t.Host,
			Range: &event.Range{File: "large.hcl", Start: event.Position{Line: 10*t.Block + 1, Column: 1}, End: event.Position{Line: 10*t.Block + 1, Column: 24}}}
		m.task(t, from, to, event.Event{Status: event.Failed, Message: problem.Detail}, arguments, event.Event{Kind: event.TaskProblem, Problem: problem})
	case i%3 == 0:
		m.task(t, from, to, event.Event{Status: event.Changed, Steps: []string{step}}, arguments, event.Event{Kind: event.StepStarted, Steps: []string{step}})
	default:
		m.task(t, from, to, event.Event{Status: event.OK}, arguments)
	}
}

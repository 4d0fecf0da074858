package engine

import (
	"context"
	"slices"
	"time"

	"kinit/engine/internal/plan"
)

// Graph is which tasks a run does, and what each waits for. It is what plan.Build
// has frozen.
type Graph struct {
	Stages []GraphStage // in the order of the playbook
	Tasks  []GraphTask  // in plan order; those for failures and those done always come last
}

// GraphStage is a stage and the stages it comes after.
type GraphStage struct {
	Name  string
	After []string
}

// Section is when a task is done.
type Section string

// The sections of a plan, in the order they are done.
const (
	Main      Section = ""
	OnFailure Section = "on failure" // when a task of Main failed
	Always    Section = "always"     // last, whatever happened
)

// GraphTask is a task instance.
type GraphTask struct {
	Address string // such as task.file.motd["web1"]
	Block   string // the address of its block, such as task.file.motd
	Host    string
	Stage   string // empty without one
	Section Section
	Skip    string   // why it is not done, empty when it is
	Needs   []string // addresses of the tasks it waits for itself; the order of stages comes on top
}

// Order plans without touching a host and returns the graph of the tasks that are
// selected.
func Order(ctx context.Context, o Options) (*Graph, *Report) {
	started := time.Now()
	l := load(ctx, o, true)
	report := l.report(ctx, started)
	if report.Invalid {
		return nil, report
	}
	g := &Graph{}
	for _, s := range l.spec.Stages {
		g.Stages = append(g.Stages, GraphStage{Name: s.Name, After: s.After})
	}
	g.add(Main, l.plan.Main)
	g.add(OnFailure, l.plan.OnFailure)
	g.add(Always, l.plan.Always)
	return g, report
}

// add appends the tasks of a section.
func (g *Graph) add(section Section, s plan.Section) {
	for _, t := range s.Tasks {
		g.Tasks = append(g.Tasks, GraphTask{
			Address: t.Address, Block: t.BlockAddress(), Host: t.Host, Stage: t.Stage, Section: section,
			Skip: t.Skip, Needs: waits(s, t.Address),
		})
	}
}

// waits lists the tasks that one waits for, but for what the order of stages says.
// A task that is not selected stands for what it would have waited for.
func waits(s plan.Section, address string) []string {
	var found []string
	seen := map[string]bool{address: true}
	todo := s.Graph.Needs(address)
	for len(todo) > 0 {
		key := todo[0]
		todo = todo[1:]
		if seen[key] || plan.IsStage(key) {
			continue
		}
		seen[key] = true
		if s.Task(key) != nil {
			found = append(found, key)
			continue
		}
		todo = append(todo, s.Graph.Needs(key)...)
	}
	slices.Sort(found)
	return found
}

package engine

import (
	"context"
	"slices"

	"kinit/engine/internal/plan"
)

// Graph holds the tasks of a run and what each of them waits for, as plan.Build made it.
type Graph struct {
	Stages  []GraphStage // in the order of the playbook
	Imports []string     // the addresses of imports with labels, such as import.shop
	Tasks   []GraphTask  // in plan order; those of on_failure and always come last
	Sets    [][]string   // of addresses that several tasks wait for
}

// GraphStage is a stage and the stages it comes after.
type GraphStage struct {
	Name  string
	After []string
}

// Section is the part of a plan that a task belongs to.
type Section string

// The sections of a plan, in the order they run.
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
	Tags    []string // its own, and those of blocks and imports around it
	Skip    string   // why it is not done; empty if it is done
	Needs   []string // addresses of the tasks it waits for directly, besides the order of stages
	Sets    []int    // indices in Graph.Sets: it also waits for all tasks of these
}

// Order plans without touching a host and returns the graph of the tasks that are
// selected.
func Order(ctx context.Context, o Options) (*Graph, *Report) {
	o.Offline = true
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	p.close()
	if p.plan == nil {
		return nil, report
	}
	report.refuse(asWarnings(noHosts(p)))
	g := &Graph{}
	for _, s := range p.spec.Stages {
		g.Stages = append(g.Stages, GraphStage{Name: s.Name, After: s.After})
	}
	for _, names := range p.spec.Namespaces()[1:] {
		g.Imports = append(g.Imports, names.Path())
	}
	g.add(Main, p.plan.Main)
	g.add(OnFailure, p.plan.OnFailure)
	g.add(Always, p.plan.Always)
	return g, report
}

func (g *Graph) add(section Section, s plan.Section) {
	waiting, sets := s.Waiting(), len(g.Sets)
	for _, t := range s.Tasks {
		needs, in := waiting.Of(t.Address)
		slices.Sort(needs)
		for i := range in {
			in[i] += sets
		}
		g.Tasks = append(g.Tasks, GraphTask{
			Address: t.Address, Block: t.BlockAddress(), Host: t.Host, Stage: t.Stage, Section: section,
			Tags: t.Block.Spec.Tags, Skip: t.Skip, Needs: needs, Sets: in,
		})
	}
	g.Sets = append(g.Sets, waiting.Sets...)
}

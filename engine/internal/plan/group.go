package plan

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/internal/spec"
)

// group is tasks that end before what comes after them begins: those of a stage,
// of a batch of hosts of a stage or block, or those without a stage. The handlers
// that they notify are done at its end.
type group struct {
	key      string // in the graph: stage.web, stage.web.batch1, block.deploy.batch2; empty without a stage
	label    string // in messages
	name     string // in addresses of handlers
	at       hcl.Range
	rolling  *rolling // of a batch
	serial   bool     // a stage that goes batch by batch
	maxFail  int      // how many hosts may fail
	tasks    []*Task  // without handlers
	handlers []*Task
}

// begin, barrier and end are virtual keys: tasks come after begin, handlers after
// barrier, what follows the group after end.
func (g *group) begin() string { return g.key + ".begin" }
func (g *group) end() string   { return g.key + ".end" }
func (g *group) barrier() string {
	if g.key == "" {
		return "handlers"
	}
	return g.key + ".handlers"
}

// stageEnd and stageBegin are those of a stage.
func stageBegin(stage string) string { return "stage." + stage + ".begin" }
func stageEnd(stage string) string   { return "stage." + stage + ".end" }

// groups is how the tasks of a plan are grouped.
type groups struct {
	stages    map[string]*group
	batches   []*rolling
	rest      *group // of the main section, without a stage
	onFailure *group
	always    *group
}

// formGroups puts every task into its group.
func (b *builder) formGroups() {
	b.groups = groups{
		stages: map[string]*group{}, rest: &group{name: "rest"},
		onFailure: &group{name: "on_failure"}, always: &group{name: "always"},
	}
	for _, s := range b.in.Spec.Stages {
		b.groups.stages[s.Name] = &group{key: "stage." + s.Name, label: fmt.Sprintf("stage %q", s.Name), name: s.Name, at: s.Range}
	}
	for _, block := range b.blocks.order {
		for _, t := range block.instances {
			t.group = b.groupOf(t)
			t.group.tasks = append(t.group.tasks, t)
		}
	}
	for _, s := range b.in.Spec.Stages {
		b.rollStage(s, b.groups.stages[s.Name])
	}
	for _, s := range b.in.Spec.Blocks {
		b.rollBlock(s)
	}
}

func (b *builder) groupOf(t *Task) *group {
	stage := b.groups.stages[t.Stage]
	switch {
	case t.OnFailure:
		return b.groups.onFailure
	case t.Always:
		return b.groups.always
	case stage != nil:
		return stage
	}
	return b.groups.rest
}

func (b *builder) rollStage(s *spec.Stage, g *group) {
	serial := b.agreed(s, "serial", func(d *spec.Stage) hcl.Expression { return d.Serial })
	maxFail := b.agreed(s, "max_fail", func(d *spec.Stage) hcl.Expression { return d.MaxFail })
	g.serial = serial.expr != nil
	if !g.serial && maxFail.expr == nil {
		return
	}
	r := &rolling{group: group{key: g.key, label: g.label, name: g.name, at: g.at}, serial: serial, maxFail: maxFail, tasks: g.tasks}
	if !g.serial {
		g.maxFail = b.limit(r, len(b.hostsOf(r)))
		return
	}
	b.divide(r)
}

func (b *builder) rollBlock(s *spec.Block) {
	if s.Serial == nil && s.MaxFail == nil {
		return
	}
	in := b.spaces[s.In]
	r := &rolling{serial: said{s.Serial, in}, maxFail: said{s.MaxFail, in}}
	r.key, r.label, r.name, r.at = "block."+s.In.Address(s.Name), fmt.Sprintf("block %q", s.In.Address(s.Name)), s.Name, s.Range
	for _, block := range b.blocks.order {
		if block.spec.Block == s {
			r.tasks = append(r.tasks, block.instances...)
		}
	}
	if stage := b.groups.stages[s.Stage]; stage != nil && stage.serial {
		b.errorf(s.Range, "Conflicting arguments", "The block %q has serial or max_fail, and its stage %q has serial already (%s:%d). Leave one out.",
			s.Name, stage.name, stage.at.Filename, stage.at.Start.Line)
		return
	}
	b.divide(r)
}

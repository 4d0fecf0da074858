package dag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/graph"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/spec"
)

// Build puts the tasks of instances, and the handlers that they notify, in order.
func Build(all *refs.Refs) (*Graph, diag.List) {
	b := newBuilder(all)
	b.formGroups()
	b.watchMembers()
	main, tasks := newEdges(len(b.tasks)), b.planOrder(inMain)
	for _, t := range tasks {
		b.connectTask(main, t)
	}
	if points := b.flushPoints(); len(points) > 0 {
		groups := newEdges(len(tasks))
		b.connectGroups(groups)
		b.findFlushes(points, (&edges{list: slices.Concat(main.list, groups.list)}).graph(nil))
	}
	b.handlers()
	b.noteWhole()
	g := &Graph{Refs: all, Stages: b.stages, All: b.all()}
	g.Main = b.main(main)
	g.OnFailure = b.final(b.groups.onFailure, func(t *Task) bool { return t.OnFailure })
	g.Always = b.final(b.groups.always, func(t *Task) bool { return t.Always })
	return g, b.Diags
}

func inMain(t *Task) bool { return !t.Final() }

// newBuilder makes a task of every instance, except of handlers.
func newBuilder(all *refs.Refs) *builder {
	b := &builder{refs: all, of: map[*refs.Block]*block{}, made: map[*expand.Block]*block{}, tasks: map[*refs.Task]*Task{}}
	for _, s := range all.Set.Spec.Stages {
		b.stages = append(b.stages, s.Name)
	}
	for _, found := range all.Blocks {
		block, s := &block{Block: found, byHost: map[string][]*Task{}, moments: map[moment]*Task{}}, found.Spec
		b.blocks = append(b.blocks, block)
		b.of[found], b.made[found.Block] = block, block
		if s.Handler {
			continue
		}
		for _, one := range found.Tasks {
			t := &Task{
				Task: one, Address: one.Address, Stage: s.Stage, block: block,
				Always: s.Always && s.Around() == nil, OnFailure: s.OnFailure && s.Around() == nil,
			}
			b.tasks[one] = t
			block.add(t)
		}
	}
	return b
}

// watchMembers records, for tasks of on_failure and always in blocks, which other tasks
// they come after: those for their host, or all of them.
func (b *builder) watchMembers() {
	members := map[*spec.Block][]*Task{}
	for _, t := range b.all() {
		for s := t.block.Spec.Around(); s != nil; s = s.Around() {
			members[s] = append(members[s], t)
		}
	}
	for _, t := range b.all() {
		if t.Role != expand.Normal {
			others := slices.Clone(t.inBatch(members[t.block.Spec.Around()]))
			t.Watches, _ = t.ownHost(slices.DeleteFunc(others, func(other *Task) bool { return !t.follows(other) }))
		}
	}
}

// main makes the main section. e has the edges between its tasks already, but not those of
// its handlers and groups.
func (b *builder) main(e *edges) Section {
	s := Section{Tasks: b.planOrder(inMain)}
	for _, t := range s.Tasks {
		if t.Handler {
			b.connectTask(e, t)
		}
	}
	b.connectGroups(e)
	flushed := b.addFlushes(e)
	s.Graph, s.Gates = e.graph(b.keys(s.Tasks)), e.gates
	valid := b.checkCycles(s.Graph, e)
	if flushed && valid {
		b.lineUpHandlers(s.Graph)
	}
	return s
}

// final makes a section of the tasks that are done after all others.
func (b *builder) final(group *group, member func(t *Task) bool) Section {
	s := Section{Tasks: b.planOrder(member)}
	e := newEdges(len(s.Tasks))
	for _, t := range s.Tasks {
		e.add(t.key())
		b.connectTask(e, t)
	}
	e.addHandlers(group)
	s.Graph = e.graph(nil)
	b.checkCycles(s.Graph, e)
	return s
}

// planOrder lists the members by stage, then by place in the files, then by key.
// Tasks without a stage come first.
func (b *builder) planOrder(member func(t *Task) bool) []*Task {
	stage := map[string]int{"": -1}
	for i, name := range b.stages {
		stage[name] = i
	}
	tasks := slices.DeleteFunc(b.all(), func(t *Task) bool { return !member(t) })
	slices.SortStableFunc(tasks, func(x, y *Task) int { return cmp.Compare(stage[x.Stage], stage[y.Stage]) })
	return tasks
}

// keys lists tasks and stages in the order of the visits.
func (b *builder) keys(tasks []*Task) []Key {
	byStage := map[string][]*Task{}
	for _, t := range tasks {
		byStage[t.Stage] = append(byStage[t.Stage], t)
	}
	var keys []Key
	add := func(stage string) {
		members := byStage[stage]
		for i, t := range members {
			keys = append(keys, t.key())
			if t.block.whole && (i+1 == len(members) || members[i+1].block != t.block) {
				keys = append(keys, t.block.ended(), t.block.all())
			}
		}
	}
	add("")
	for _, stage := range b.stages {
		keys = append(keys, StageBegin(stage))
		add(stage)
		keys = append(keys, StageEnd(stage))
	}
	return keys
}

// connectGroups connects tasks with their stages, batches and handlers.
func (b *builder) connectGroups(e *edges) {
	for _, s := range b.refs.Set.Spec.Stages {
		e.addGroup(b.groups.stages[s.Name])
		for _, after := range s.After {
			e.connect(StageBegin(s.Name), StageEnd(after), &s.Range)
		}
	}
	for _, r := range b.groups.batches {
		var stage *group // the stage of the batches
		if len(r.tasks) > 0 {
			stage = b.groups.stages[r.tasks[0].Stage]
		}
		e.addBatches(r, stage)
	}
	e.addHandlers(b.groups.rest)
}

// checkCycles reports tasks that depend on themselves, with the place of every edge, and
// returns whether there are none.
func (b *builder) checkCycles(g *graph.Graph[Key], e *edges) bool {
	var cycles *graph.CycleError[Key]
	if !errors.As(g.Validate(), &cycles) {
		return true
	}
	places := map[[2]Key]hcl.Range{}
	for _, one := range slices.Backward(e.list) {
		if one.at != nil {
			places[[2]Key{one.from, one.to}] = *one.at // the first one counts
		}
	}
	blocks := map[Key]*block{}
	for _, t := range b.all() {
		blocks[t.key()] = t.block
	}
	place := func(from, to Key) hcl.Range {
		keys := []Key{to}
		if block := blocks[to]; block != nil {
			keys = append(keys, block.all(), block.ended())
		}
		for _, key := range keys {
			if at, ok := places[[2]Key{from, key}]; ok {
				return at
			}
		}
		return hcl.Range{}
	}
	for _, cycle := range cycles.Cycles {
		cycle = fromTask(slices.DeleteFunc(cycle, Key.Whole))
		var steps []string
		for i, from := range cycle {
			to := cycle[(i+1)%len(cycle)]
			at := place(from, to)
			steps = append(steps, fmt.Sprintf("%s needs %s (%s:%d)", from, to, at.Filename, at.Start.Line))
		}
		at := place(cycle[0], cycle[1%len(cycle)])
		b.Tell(diag.List{{
			Summary: "Dependency cycle", Detail: "These wait for each other: " + strings.Join(steps, ", ") + ".", Subject: &at, Address: cycle[0].String(),
		}})
	}
	return false
}

// fromTask turns a cycle so that it starts at its smallest task or handler. Every cycle has
// one, since stages alone have no cycle.
func fromTask(cycle []Key) []Key {
	first := slices.MinFunc(cycle, func(a, b Key) int {
		if a.Kind == OfTask != (b.Kind == OfTask) {
			if a.Kind == OfTask {
				return -1
			}
			return 1
		}
		return strings.Compare(a.String(), b.String())
	})
	i := slices.Index(cycle, first)
	return slices.Concat(cycle[i:], cycle[:i])
}

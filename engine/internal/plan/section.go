package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/graph"
)

// edges makes the graph of a section.
type edges struct {
	graph  *graph.Graph[string]
	at     map[[2]string]hcl.Range // where each edge comes from; nil while there is no cycle to tell of
	gates  map[string]*Gate
	wholes map[string]*whole
}

// connect says that one key needs another to succeed.
func (e *edges) connect(from, to string, at hcl.Range) {
	e.note(from, to, at)
	e.graph.Connect(from, to)
}

// follow says that one key comes after another, however that ends.
func (e *edges) follow(from, to string, at hcl.Range) {
	e.note(from, to, at)
	e.graph.Follow(from, to)
}

func (e *edges) note(from, to string, at hcl.Range) {
	if _, ok := e.at[[2]string{from, to}]; !ok && e.at != nil {
		e.at[[2]string{from, to}] = at
	}
}

// section makes the graph of those tasks that are members.
func (b *builder) section(into *Section, member func(t *Task) bool) {
	into.Tasks = b.planOrder(member)
	into.index()
	e := b.edges(into, member, nil)
	into.Graph, into.gates = e.graph, e.gates
	var cycles *graph.CycleError[string]
	if errors.As(e.graph.Validate(), &cycles) {
		b.tellCycles(b.edges(into, member, map[[2]string]hcl.Range{}), cycles)
	}
}

// edges makes the graph of the section's tasks; at takes where edges come from.
func (b *builder) edges(into *Section, member func(t *Task) bool, at map[[2]string]hcl.Range) *edges {
	e := &edges{graph: &graph.Graph[string]{}, at: at, gates: map[string]*Gate{}, wholes: map[string]*whole{}}
	if into == &b.plan.Main {
		b.addKeys(e, into.Tasks)
	}
	for _, t := range into.Tasks {
		e.graph.Add(t.Address)
		b.connectTask(e, t, member)
	}
	switch into {
	case &b.plan.Main:
		b.connectGroups(e)
		b.addFlushes(e)
	case &b.plan.OnFailure:
		e.addHandlers(b.groups.onFailure)
	case &b.plan.Always:
		e.addHandlers(b.groups.always)
	}
	return e
}

func (s *Section) index() {
	s.byAddress = make(map[string]*Task, len(s.Tasks))
	for _, t := range s.Tasks {
		s.byAddress[t.Address] = t
	}
}

// planOrder lists the members by stage, then by place in the files, then by key.
// Tasks without a stage come first.
func (b *builder) planOrder(member func(t *Task) bool) []*Task {
	stage := map[string]int{"": -1}
	for i, name := range b.plan.Stages {
		stage[name] = i
	}
	var tasks []*Task
	for _, block := range b.blocks.order {
		for _, t := range block.instances {
			if member(t) {
				tasks = append(tasks, t)
			}
		}
	}
	slices.SortStableFunc(tasks, func(x, y *Task) int { return cmp.Compare(stage[x.Stage], stage[y.Stage]) })
	return tasks
}

// addKeys adds tasks and stages in the order they are to be visited.
func (b *builder) addKeys(e *edges, tasks []*Task) {
	byStage := map[string][]*Task{}
	for _, t := range tasks {
		byStage[t.Stage] = append(byStage[t.Stage], t)
	}
	add := func(stage string) {
		members := byStage[stage]
		for i, t := range members {
			e.graph.Add(t.Address)
			if t.block.whole && (i+1 == len(members) || members[i+1].block != t.block) {
				e.graph.Add(t.block.ended())
				e.graph.Add(t.block.all())
			}
		}
	}
	add("")
	for _, stage := range b.plan.Stages {
		e.graph.Add(stageBegin(stage))
		add(stage)
		e.graph.Add(stageEnd(stage))
	}
}

// connectGroups connects tasks with their stages, batches and handlers.
func (b *builder) connectGroups(e *edges) {
	for _, s := range b.in.Spec.Stages {
		e.addGroup(b.groups.stages[s.Name])
		for _, after := range s.After {
			e.connect(stageBegin(s.Name), stageEnd(after), s.Range)
		}
	}
	for _, r := range b.groups.batches {
		e.addBatches(r, b.stageOf(r))
	}
	e.addHandlers(b.groups.rest)
}

// stageOf is the stage that batches are a part of, or nil.
func (b *builder) stageOf(r *rolling) *group {
	if len(r.tasks) == 0 {
		return nil
	}
	return b.groups.stages[r.tasks[0].Stage]
}

// connectTask adds the edges to what a task refers to, and to what brings its
// host about.
func (b *builder) connectTask(e *edges, t *Task, member func(t *Task) bool) {
	for _, ref := range t.reads {
		if t.wholly(ref) {
			b.connectWhole(e, t, ref, member, false)
			continue
		}
		for _, need := range (references{ref}).tasks() {
			b.connectNeed(e, t, need, ref.at, member, false)
		}
	}
	for _, ref := range t.after {
		b.connectAfter(e, t, ref, member)
	}
	if t.Role != Normal {
		for _, need := range t.Watches {
			e.follow(t.Address, need.Address, t.Range)
		}
	}
	b.connectHost(e, t, member)
}

// connectNeed adds one edge of a task to another.
func (b *builder) connectNeed(e *edges, t, need *Task, at hcl.Range, member func(t *Task) bool, soft bool) {
	switch {
	case member(need) && (soft || t.follows(need)):
		e.follow(t.Address, need.Address, at)
	case member(need):
		e.connect(t.Address, need.Address, at)
	case !t.final():
		b.errorf(at, "Invalid reference", "%s is done after all others, because of its always or on_failure argument; %s cannot wait for it.", need.Address, t.Address)
	}
}

// connectHost adds the edges to what brings a task's host about.
func (b *builder) connectHost(e *edges, t *Task, member func(t *Task) bool) {
	at := t.Range
	if t.block.spec.Host != nil {
		at = t.block.spec.Host.Range()
	}
	for _, need := range b.tasksOf(t.Host).bring {
		if member(need) {
			e.connect(t.Address, need.Address, at)
		}
	}
}

// tellCycles tells of tasks that depend on themselves, with the place of every edge.
func (b *builder) tellCycles(e *edges, cycles *graph.CycleError[string]) {
	for _, cycle := range cycles.Cycles {
		cycle = fromTask(slices.DeleteFunc(cycle, isWhole))
		var steps []string
		for i, from := range cycle {
			to := cycle[(i+1)%len(cycle)]
			at := b.edgeAt(e, from, to)
			steps = append(steps, fmt.Sprintf("%s needs %s (%s:%d)", from, to, at.Filename, at.Start.Line))
		}
		at := b.edgeAt(e, cycle[0], cycle[1%len(cycle)])
		b.diags = append(b.diags, diag.List{{
			Summary: "Dependency cycle", Detail: "These wait for each other: " + strings.Join(steps, ", ") + ".", Subject: &at, Address: cycle[0],
		}}...)
	}
}

// edgeAt is where an edge comes from, which may be one to all instances of a block.
func (b *builder) edgeAt(e *edges, from, to string) hcl.Range {
	keys := []string{to}
	if t := b.blocks.tasks[to]; t != nil {
		keys = append(keys, t.block.all(), t.block.ended())
	}
	for _, key := range keys {
		if at, ok := e.at[[2]string{from, key}]; ok {
			return at
		}
	}
	return hcl.Range{}
}

// fromTask turns a cycle so that it starts at its smallest task or handler. Every
// cycle has one, since the stages alone have none.
func fromTask(cycle []string) []string {
	first := slices.MinFunc(cycle, func(a, b string) int {
		if isTask(a) != isTask(b) {
			if isTask(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	i := slices.Index(cycle, first)
	return slices.Concat(cycle[i:], cycle[:i])
}

func isTask(key string) bool {
	return strings.HasPrefix(key, "task.") || strings.HasPrefix(key, "handler.") || strings.HasPrefix(key, "import.")
}

// IsStage tells whether a key of a graph is the begin or the end of a stage.
func IsStage(key string) bool { return strings.HasPrefix(key, "stage.") }

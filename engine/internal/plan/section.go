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

// stageBegin and stageEnd are virtual keys: tasks of a stage come after its begin
// and before its end, and a stage begins after the end of those it names.
func stageBegin(stage string) string { return "stage." + stage + ".begin" }
func stageEnd(stage string) string   { return "stage." + stage + ".end" }

// edges makes the graph of a section and remembers where each edge comes from.
type edges struct {
	graph *graph.Graph[string]
	at    map[[2]string]hcl.Range
}

func (e *edges) connect(from, to string, at hcl.Range) {
	if _, ok := e.at[[2]string{from, to}]; !ok {
		e.at[[2]string{from, to}] = at
	}
	e.graph.Connect(from, to)
}

// section makes the graph of those tasks that are members.
func (b *builder) section(into *Section, member func(t *Task) bool) {
	e := &edges{graph: &graph.Graph[string]{}, at: map[[2]string]hcl.Range{}}
	into.Graph, into.Tasks = e.graph, b.planOrder(member)
	into.index()
	main := into == &b.plan.Main
	if main {
		b.addKeys(e, into.Tasks)
	}
	for _, t := range into.Tasks {
		e.graph.Add(t.Address)
		if main && t.Stage != "" {
			e.connect(t.Address, stageBegin(t.Stage), t.Range)
			e.connect(stageEnd(t.Stage), t.Address, t.Range)
		}
		b.connectTask(e, t, member)
	}
	if main {
		b.connectStages(e)
	}
	b.checkCycles(e)
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
	add := func(stage string) {
		for _, t := range tasks {
			if t.Stage == stage {
				e.graph.Add(t.Address)
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

func (b *builder) connectStages(e *edges) {
	for _, s := range b.in.Spec.Stages {
		e.connect(stageEnd(s.Name), stageBegin(s.Name), s.Range)
		for _, after := range s.After {
			e.connect(stageBegin(s.Name), stageEnd(after), s.Range)
		}
	}
}

// connectTask adds the edges to what a task refers to, and to what brings its
// host about.
func (b *builder) connectTask(e *edges, t *Task, member func(t *Task) bool) {
	for _, refs := range []references{t.reads, t.after} {
		for _, need := range refs.tasks() {
			switch {
			case member(need):
				e.connect(t.Address, need.Address, refs.at(need))
			case !t.final():
				b.errorf(refs.at(need), "Invalid reference", "%s is done after all others, because of its always or on_failure argument; %s cannot wait for it.", need.Address, t.Address)
			}
		}
	}
	at := t.Range
	if t.block.spec.Host != nil {
		at = t.block.spec.Host.Range()
	}
	for _, host := range b.hosts.chain(t.Host) {
		for _, need := range append(host.reads.tasks(), host.after.tasks()...) {
			if member(need) {
				e.connect(t.Address, need.Address, at)
			}
		}
	}
}

// checkCycles tells of tasks that depend on themselves, with the place of every edge.
func (b *builder) checkCycles(e *edges) {
	var cycles *graph.CycleError[string]
	if !errors.As(e.graph.Validate(), &cycles) {
		return
	}
	for _, cycle := range cycles.Cycles {
		cycle = fromTask(cycle)
		var steps []string
		for i, from := range cycle {
			to := cycle[(i+1)%len(cycle)]
			at := e.at[[2]string{from, to}]
			steps = append(steps, fmt.Sprintf("%s needs %s (%s:%d)", from, to, at.Filename, at.Start.Line))
		}
		at := e.at[[2]string{cycle[0], cycle[1%len(cycle)]}]
		b.diags = append(b.diags, diag.List{{
			Summary: "Dependency cycle", Detail: "These wait for each other: " + strings.Join(steps, ", ") + ".", Subject: &at, Address: cycle[0],
		}}...)
	}
}

// fromTask turns a cycle so that it starts at its smallest task. Every cycle has
// one, since the stages alone have none.
func fromTask(cycle []string) []string {
	first := slices.MinFunc(cycle, func(a, b string) int {
		if isTask(a) != isTask(b) {
			return strings.Compare(b, a) // task.… is greater than stage.…
		}
		return strings.Compare(a, b)
	})
	i := slices.Index(cycle, first)
	return slices.Concat(cycle[i:], cycle[:i])
}

func isTask(key string) bool { return strings.HasPrefix(key, "task.") }

// IsStage tells whether a key of a graph is the begin or the end of a stage.
func IsStage(key string) bool { return strings.HasPrefix(key, "stage.") }

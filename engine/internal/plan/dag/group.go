package dag

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/spec"
)

// begin, barrier and end are virtual keys: tasks come after begin, handlers after
// barrier, what follows the group after end.
func (g *group) begin() Key   { return Key{Begin, g.stage, g.key} }
func (g *group) barrier() Key { return Key{Handlers, g.stage, g.key} }
func (g *group) end() Key     { return Key{End, g.stage, g.key} }

// StageBegin and StageEnd are those of a stage.
func StageBegin(stage string) Key { return Key{Begin, true, "stage." + stage} }
func StageEnd(stage string) Key   { return Key{End, true, "stage." + stage} }

// groups holds the groups of a plan's tasks.
type groups struct {
	stages    map[string]*group
	batches   []*rolling
	rest      *group // of the main section, without a stage
	onFailure *group
	always    *group
}

// builder is the state of one Build. No other package sees it.
type builder struct {
	expand.Early
	refs   *refs.Refs
	stages []string
	blocks []*block // by place in the files, handlers last
	of     map[*refs.Block]*block
	made   map[*expand.Block]*block
	tasks  map[*refs.Task]*Task // without handlers
	groups groups
}

func (b *builder) all() []*Task {
	var all []*Task
	for _, block := range b.blocks {
		all = append(all, block.tasks...)
	}
	return all
}

// meant lists the tasks of a reference.
func (b *builder) meant(ref refs.Reference) []*Task {
	switch {
	case ref.Block == nil || ref.Nothing:
		return nil
	case ref.Task != nil:
		return []*Task{b.tasks[ref.Task]}
	}
	return b.of[ref.Block].tasks
}

func (b *builder) formGroups() {
	b.groups = groups{
		stages: map[string]*group{}, rest: &group{name: "rest"},
		onFailure: &group{name: "on_failure"}, always: &group{name: "always"},
	}
	for _, s := range b.refs.Set.Spec.Stages {
		b.groups.stages[s.Name] = &group{stage: true, key: "stage." + s.Name, label: fmt.Sprintf("stage %q", s.Name), name: s.Name, at: s.Range}
	}
	for _, block := range b.blocks {
		for _, t := range block.tasks {
			t.group = b.groupOf(t)
			t.group.tasks = append(t.group.tasks, t)
		}
	}
	for _, s := range b.refs.Set.Spec.Stages {
		b.rollStage(s, b.groups.stages[s.Name])
	}
	for _, s := range b.refs.Set.Spec.Blocks {
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
	r := &rolling{group: *g, serial: serial, maxFail: maxFail}
	if !g.serial {
		g.maxFail = b.limit(r, len(b.hostsOf(r)))
		return
	}
	b.divide(r)
}

func (b *builder) rollBlock(s *spec.Block) {
	in := b.refs.Set.Namespaces[s.In]
	r := &rolling{serial: b.given(said{s.Serial, in}), maxFail: b.given(said{s.MaxFail, in})}
	if r.serial.expr == nil && r.maxFail.expr == nil {
		return
	}
	r.key, r.label, r.name, r.at = "block."+s.In.Address(s.Name), fmt.Sprintf("block %q", s.In.Address(s.Name)), s.Name, s.Range
	for _, block := range b.blocks {
		if block.Spec.Within(s) && !block.Spec.Handler {
			r.tasks = append(r.tasks, block.tasks...)
		}
	}
	for _, t := range r.tasks {
		if t.Stage != s.Stage {
			b.Errorf(s.Range, "Conflicting arguments", "The block %q has serial or max_fail, so all its tasks belong to its stage, and %s (%s) is in the stage %q. Write the stage in the block.", s.Name, t.block.Spec.Address(), t.Range, t.Stage)
			return
		}
	}
	if stage := b.groups.stages[s.Stage]; stage != nil && stage.serial {
		b.Errorf(s.Range, "Conflicting arguments", "The block %q has serial or max_fail, and its stage %q has serial already (%s:%d). Leave one out.",
			s.Name, stage.name, stage.at.Filename, stage.at.Start.Line)
		return
	}
	b.divide(r)
}

func (b *builder) saidEarly(what string, s said) (cty.Value, bool) {
	return b.Open(s.in, what, s.expr, s.in.Context(s.expr.Range().Filename))
}

// given returns an argument, without an expression if its value is null.
func (b *builder) given(s said) said {
	if s.expr == nil {
		return s
	}
	if value, problems := bounds.Value(s.expr, s.in.Context(s.expr.Range().Filename)); !problems.HasErrors() && value.IsKnown() && value.IsNull() {
		s.expr = nil
	}
	return s
}

// agreed returns an argument of a stage from its declarations: one sets it, or several set
// the same value.
func (b *builder) agreed(stage *spec.Stage, what string, of func(*spec.Stage) hcl.Expression) said {
	var first said
	for _, d := range stage.Declarations() {
		next := b.given(said{of(d), b.refs.Set.Namespaces[d.In]})
		switch {
		case next.expr == nil:
		case first.expr == nil:
			first = next
		case !b.same(what, first, next):
			b.Errorf(next.expr.Range(), "Conflicting arguments", "%s gives the stage %q another %s than %s (%s). Stages of one name are one; say it once, or the same.",
				next.in.Title(), stage.Name, what, first.in.Title(), first.expr.Range())
		}
	}
	return first
}

// same reports whether two arguments have the same value, or no value.
func (b *builder) same(what string, x, y said) bool {
	one, ok1 := b.saidEarly(what, x)
	other, ok2 := b.saidEarly(what, y)
	return !ok1 || !ok2 || one.RawEquals(other)
}

// divide makes the batches and puts the tasks of their hosts into them. Tasks of other
// hosts remain in the stage and are ordered only by their references.
func (b *builder) divide(r *rolling) {
	hosts := b.hostsOf(r)
	for _, size := range b.sizes(r, len(hosts)) {
		size = min(size, len(hosts))
		b.batch(r, hosts[:size])
		hosts = hosts[size:]
	}
	for i, g := range r.batches {
		g.label = fmt.Sprintf("batch %d of %d of %s", i+1, len(r.batches), r.label)
	}
	b.groups.batches = append(b.groups.batches, r)
}

func (b *builder) batch(r *rolling, hosts []string) {
	number := strconv.Itoa(len(r.batches) + 1)
	g := &group{stage: r.stage, key: r.key + ".batch" + number, name: r.name + ".batch" + number, at: r.at, rolling: r}
	g.maxFail = b.limit(r, len(hosts))
	for _, t := range r.tasks {
		if slices.Contains(hosts, t.For) {
			t.group = g
			g.tasks = append(g.tasks, t)
		}
	}
	r.batches = append(r.batches, g)
}

// hostsOf lists the hosts of the batches: those of tasks with hosts, or without such tasks
// those of all instances of a for_each. They are in the order of selection.
func (b *builder) hostsOf(r *rolling) []string {
	var named, others []string
	for _, t := range r.tasks {
		switch {
		case t.block.Spec.Hosts != nil:
			named = append(named, t.For)
		case t.block.Depth > 0:
			others = append(others, t.For)
		}
	}
	if len(named) == 0 {
		named = others
	}
	place := map[string]int{}
	for i, h := range b.refs.Set.Hosts.Selected {
		place[h.Name] = i - len(b.refs.Set.Hosts.Selected)
	}
	slices.SortStableFunc(named, func(x, y string) int { return place[x] - place[y] })
	seen := map[string]bool{}
	return slices.DeleteFunc(named, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}

// sizes evaluates serial: how many hosts each batch has, until all are in one.
func (b *builder) sizes(r *rolling, hosts int) []int {
	if hosts == 0 {
		return nil
	}
	if r.serial.expr == nil {
		return []int{hosts}
	}
	value, ok := b.saidEarly("serial", r.serial)
	if !ok {
		return nil
	}
	steps := []cty.Value{value}
	if t := value.Type(); !value.IsNull() && (t.IsTupleType() || t.IsListType()) {
		steps = value.AsValueSlice()
	}
	if len(steps) == 0 {
		b.Errorf(r.serial.expr.Range(), "Invalid serial", "The list is empty; %s", serialHelp)
		return nil
	}
	var sizes []int
	for left := hosts; left > 0; {
		step := steps[min(len(sizes), len(steps)-1)]
		size, ok := share(step, hosts)
		if !ok || size == 0 && !isPercent(step) {
			b.Errorf(r.serial.expr.Range(), "Invalid serial", "%s", serialHelp)
			return nil
		}
		sizes = append(sizes, max(size, 1))
		left -= max(size, 1)
	}
	return sizes
}

const serialHelp = `serial is how many hosts are worked on at the same time: a number of at least 1, a percentage such as "30%", or a list of these, such as [1, "50%"].`

// limit evaluates max_fail for a number of hosts.
func (b *builder) limit(r *rolling, hosts int) int {
	if r.maxFail.expr == nil {
		return 0
	}
	value, ok := b.saidEarly("max_fail", r.maxFail)
	if !ok {
		return 0
	}
	limit, ok := share(value, hosts)
	if !ok {
		b.Errorf(r.maxFail.expr.Range(), "Invalid max_fail", `max_fail is how many hosts of a batch may fail: a number, or a percentage such as "30%%".`)
	}
	return limit
}

// share converts a whole number or a percentage of all, rounded down, to a number of hosts.
func share(value cty.Value, all int) (int, bool) {
	if value.IsNull() || !value.IsKnown() {
		return 0, false
	}
	switch value.Type() {
	case cty.Number:
		n, accuracy := value.AsBigFloat().Int64()
		return int(min(n, 1<<20)), accuracy == big.Exact && n >= 0
	case cty.String:
		text, _ := strings.CutSuffix(value.AsString(), "%")
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || isPercent(value) && n > 100 {
			return 0, false
		}
		if isPercent(value) {
			return all * int(n) / 100, true
		}
		return int(n), true
	}
	return 0, false
}

func isPercent(value cty.Value) bool {
	return value.Type() == cty.String && strings.HasSuffix(value.AsString(), "%")
}

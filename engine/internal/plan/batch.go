package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// rolling is a stage or block whose hosts are worked on batch after batch.
type rolling struct {
	group
	serial  said // nothing means one batch
	maxFail said // nothing means 0
	tasks   []*Task
	batches []*group
}

// said is an argument with the namespace of its expression, which is nil without one.
type said struct {
	expr hcl.Expression
	in   *space
}

func (b *builder) saidEarly(what string, s said) (cty.Value, bool) {
	return b.earlyOpen(s.in, what, s.expr, s.in.context(s.expr.Range().Filename))
}

// agreed is what the declarations of a stage say about an argument: one of them, or
// several the same.
func (b *builder) agreed(stage *spec.Stage, what string, of func(*spec.Stage) hcl.Expression) said {
	var first said
	for _, d := range stage.Declarations() {
		next := said{of(d), b.spaces[d.In]}
		switch {
		case next.expr == nil:
		case first.expr == nil:
			first = next
		case !b.same(what, first, next):
			b.errorf(next.expr.Range(), "Conflicting arguments", "%s gives the stage %q another %s than %s (%s). Stages of one name are one; say it once, or the same.",
				next.in.title(), stage.Name, what, first.in.title(), first.expr.Range())
		}
	}
	return first
}

// same tells whether two arguments have the same value, as far as they have one.
func (b *builder) same(what string, x, y said) bool {
	one, ok1 := b.saidEarly(what, x)
	other, ok2 := b.saidEarly(what, y)
	return !ok1 || !ok2 || one.RawEquals(other)
}

// divide makes the batches and puts the tasks of their hosts into them. Tasks of
// other hosts stay in the stage and are ordered by what they refer to alone.
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
	g := &group{key: r.key + ".batch" + number, name: r.name + ".batch" + number, at: r.at, rolling: r}
	g.maxFail = b.limit(r, len(hosts))
	for _, t := range r.tasks {
		if slices.Contains(hosts, t.For) {
			t.group = g
			g.tasks = append(g.tasks, t)
		}
	}
	r.batches = append(r.batches, g)
}

// hostsOf lists the hosts that make up the batches: those that the tasks with
// hosts name, or without such tasks those of all instances of a for_each. They
// are in the order in which they were selected.
func (b *builder) hostsOf(r *rolling) []string {
	var named, others []string
	for _, t := range r.tasks {
		switch {
		case t.block.spec.Hosts != nil:
			named = append(named, t.For)
		case t.block.spec.ForEach != nil:
			others = append(others, t.For)
		}
	}
	if len(named) == 0 {
		named = others
	}
	place := map[string]int{}
	for i, h := range b.in.Hosts {
		place[h.Name] = i - len(b.in.Hosts)
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
		b.errorf(r.serial.expr.Range(), "Invalid serial", "The list is empty; %s", serialHelp)
		return nil
	}
	var sizes []int
	for left := hosts; left > 0; {
		step := steps[min(len(sizes), len(steps)-1)]
		size, ok := share(step, hosts)
		if !ok || size == 0 && !isPercent(step) {
			b.errorf(r.serial.expr.Range(), "Invalid serial", "%s", serialHelp)
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
		b.errorf(r.maxFail.expr.Range(), "Invalid max_fail", `max_fail is how many hosts of a batch may fail: a number, or a percentage such as "30%%".`)
	}
	return limit
}

// share is a number of hosts: a whole number, or a percentage of all, rounded down.
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

// countedFor is the host that a task's failure is counted for: its key, where that
// is a host, since then it is done for that host's sake.
func (b *builder) countedFor(t *Task) string {
	if t.Key != "" && t.Key != inventory.Localhost && b.hosts.has(t.Key) {
		return t.Key
	}
	return t.Host
}

package dag

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/graph"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
)

// edges collects the edges of a section in the order in which they are found.
type edges struct {
	list   []edge
	gates  map[Key]*Gate
	wholes map[Key]*whole
}

// edge records that one key needs another to succeed, or only comes after it. Without the
// other it only adds a key.
type edge struct {
	from, to Key
	soft     bool
	at       *hcl.Range // where it comes from
}

// newEdges returns edges with capacity for some tasks.
func newEdges(tasks int) *edges {
	return &edges{list: make([]edge, 0, 4*tasks), gates: map[Key]*Gate{}, wholes: map[Key]*whole{}}
}

func (e *edges) add(key Key) { e.list = append(e.list, edge{from: key}) }

// connect makes a key need another to succeed.
func (e *edges) connect(from, to Key, at *hcl.Range) {
	e.list = append(e.list, edge{from: from, to: to, at: at})
}

// follow puts a key after another, however that ends.
func (e *edges) follow(from, to Key, at *hcl.Range) {
	e.list = append(e.list, edge{from: from, to: to, at: at, soft: true})
}

// graph makes the graph of the edges. Its first keys are keys.
func (e *edges) graph(keys []Key) *graph.Graph[Key] {
	g := &graph.Graph[Key]{}
	for _, key := range keys {
		g.Add(key)
	}
	for _, one := range e.list {
		switch {
		case one.to.Kind == 0:
			g.Add(one.from)
		case one.soft:
			g.Follow(one.from, one.to)
		default:
			g.Connect(one.from, one.to)
		}
	}
	return g
}

// addGroup connects a group's tasks and handlers with its begin and its end.
func (e *edges) addGroup(g *group) {
	e.connect(g.end(), g.begin(), &g.at)
	for _, t := range g.tasks {
		e.connect(t.key(), g.begin(), &t.Range)
		e.follow(g.end(), t.key(), &t.Range)
	}
	e.addHandlers(g)
	for _, h := range g.handlers {
		e.follow(g.end(), h.key(), &h.Range)
	}
	all := slices.Concat(g.tasks, g.handlers)
	own := slices.DeleteFunc(slices.Clone(all), func(t *Task) bool { return t.group != g })
	e.gates[g.end()] = &Gate{Key: g.end(), Label: g.label, MaxFail: g.maxFail, Tasks: all, Own: own}
}

// addHandlers puts the handlers that run at the end of a group after all other tasks of it, and
// after those handlers that notify them.
func (e *edges) addHandlers(g *group) {
	handlers := slices.DeleteFunc(slices.Clone(g.handlers), func(h *Task) bool { return h.flush != nil })
	if len(handlers) == 0 {
		return
	}
	for _, t := range g.tasks {
		e.follow(g.barrier(), t.key(), &t.Range)
	}
	for _, h := range handlers {
		e.connect(h.key(), g.barrier(), &h.Range)
		for _, t := range h.Watches {
			if t.Handler {
				e.follow(h.key(), t.key(), new(t.block.Spec.Notify.Range()))
			}
		}
	}
}

// addBatches puts each batch after the one before.
func (e *edges) addBatches(r *rolling, stage *group) {
	for i, g := range r.batches {
		e.addGroup(g)
		switch {
		case i > 0:
			e.connect(g.begin(), r.batches[i-1].end(), &r.at)
		case stage != nil:
			e.connect(g.begin(), stage.begin(), &r.at)
		}
		if stage != nil {
			e.connect(stage.end(), g.end(), &r.at)
		}
	}
}

// A task that refers to all instances of a block has one edge, to a virtual key for them.
// So a thousand tasks that each refer to a thousand have two thousand edges, not a million.

// wholly reports whether a task means all instances of a block alike: it is in no batch,
// and neither has a role in the other's block.
func (b *builder) wholly(t *Task, ref refs.Reference) bool {
	return ref.Block != nil && ref.Task == nil && !ref.Nothing && len(b.of[ref.Block].tasks) > 1 && t.Role == expand.Normal &&
		t.group.rolling == nil && (!t.Handler || !ref.Block.Spec.Handler)
}

// noteWhole records the blocks that tasks refer to as a whole, so that their keys are
// visited in order.
func (b *builder) noteWhole() {
	for _, block := range b.blocks {
		for _, t := range block.tasks {
			for _, found := range []refs.References{t.Args, t.After} {
				for _, ref := range found {
					if b.wholly(t, ref) {
						b.of[ref.Block].whole = true
					}
				}
			}
		}
	}
}

// whole describes the key of a block's instances in a section.
type whole struct {
	inside  bool    // some of the instances are in the section
	outside []*Task // instances outside of the section
}

// wholeOf adds a block's key to the section of a task, once.
func (e *edges) wholeOf(t *Task, block *block, key Key, connect func(from, to Key, at *hcl.Range)) *whole {
	if w := e.wholes[key]; w != nil {
		return w
	}
	w := &whole{}
	for _, need := range block.tasks {
		if !t.beside(need) {
			w.outside = append(w.outside, need)
			continue
		}
		w.inside = true
		connect(key, need.key(), &need.Range)
	}
	e.wholes[key] = w
	return w
}

// connectWhole adds the edge of a task to all instances of a block.
func (b *builder) connectWhole(e *edges, t *Task, ref *refs.Reference, soft bool) {
	block := b.of[ref.Block]
	key, connect := block.all(), e.connect
	if soft {
		key, connect = block.ended(), e.follow
	}
	w := e.wholeOf(t, block, key, connect)
	if w.inside {
		connect(t.key(), key, &ref.At)
	}
	for _, need := range w.outside {
		b.connectNeed(e, t, need, &ref.At, soft)
	}
}

// narrow splits the targets of a task's depends_on into those that must succeed and those
// that must only end. If both blocks have several hosts, the instances for the task's own
// host must succeed, so that the failure of one host does not stop the others. A task for a
// single host needs all instances to succeed. In a stage that runs batch by batch, only the
// task's own batch counts.
func (b *builder) narrow(t *Task, ref refs.Reference) (must, may []*Task) {
	switch meant := b.meant(ref); {
	case ref.Task != nil:
		must = meant
	case !t.block.spread():
		must = t.inBatch(meant)
	default:
		must, may = t.ownHost(t.inBatch(meant))
	}
	if ref.Soft {
		return nil, append(must, may...)
	}
	return must, may
}

// ownHost splits instances into those for the task's host and the others. If none is for
// it, all count as its own.
func (t *Task) ownHost(all []*Task) (own, others []*Task) {
	for _, other := range all {
		if other.For == t.For {
			own = append(own, other)
		} else {
			others = append(others, other)
		}
	}
	if len(own) == 0 {
		return others, nil
	}
	return own, others
}

// inBatch keeps the instances in the task's batch, if there are some; of handlers, those
// that run at the same moment.
func (t *Task) inBatch(all []*Task) []*Task {
	var same []*Task
	handlers := t.Handler && len(all) > 0 && all[0].Handler
	for _, other := range all {
		if other.group == t.group && (!handlers || other.flush == t.flush) {
			same = append(same, other)
		}
	}
	if handlers || len(same) > 0 && t.group.rolling != nil {
		return same
	}
	return all
}

// connectAfter adds the edges of a task to the targets of an element of its depends_on.
func (b *builder) connectAfter(e *edges, t *Task, ref *refs.Reference) {
	if b.wholly(t, *ref) {
		own := b.of[ref.Block].byHost[t.For]
		apart := t.block.spread() && len(own) > 0
		if apart {
			for _, need := range own {
				b.connectNeed(e, t, need, &ref.At, ref.Soft)
			}
		}
		if !apart || len(own) < len(b.of[ref.Block].tasks) {
			b.connectWhole(e, t, ref, ref.Soft || apart)
		}
		return
	}
	must, may := b.narrow(t, *ref)
	for _, need := range must {
		b.connectNeed(e, t, need, &ref.At, false)
	}
	for _, need := range may {
		b.connectNeed(e, t, need, &ref.At, true)
	}
}

// follows reports whether a task needs another only to have ended: it has a role in a block
// in which the other is. Tasks of blocks and imports in that block come before it, whatever
// their roles there are.
func (t *Task) follows(other *Task) bool {
	s, o := t.block.Spec, other.block.Spec
	return t.Role != expand.Normal && o.Within(s.Around()) && (o.Around() != s.Around() || t.Role > other.Role)
}

// connectTask adds the edges to the tasks that a task refers to, and to those that create
// its host.
func (b *builder) connectTask(e *edges, t *Task) {
	for i := range t.Args {
		ref := &t.Args[i]
		if b.wholly(t, *ref) {
			b.connectWhole(e, t, ref, ref.Soft)
			continue
		}
		for _, need := range b.meant(*ref) {
			b.connectNeed(e, t, need, &ref.At, ref.Soft)
		}
	}
	for i := range t.After {
		b.connectAfter(e, t, &t.After[i])
	}
	if t.Role != expand.Normal {
		for _, need := range t.Watches {
			e.follow(t.key(), need.key(), &t.Range)
		}
	}
	b.connectHost(e, t)
}

// connectNeed adds one edge of a task to another.
func (b *builder) connectNeed(e *edges, t, need *Task, at *hcl.Range, soft bool) {
	switch {
	case t.beside(need) && (soft || t.follows(need)):
		e.follow(t.key(), need.key(), at)
	case t.beside(need):
		e.connect(t.key(), need.key(), at)
	case !t.Final():
		b.Errorf(*at, "Invalid reference", "%s is done after all others, because of its always or on_failure argument; %s cannot wait for it.", need.Address, t.Address)
	}
}

// connectHost adds the edges to the tasks that create a task's host.
func (b *builder) connectHost(e *edges, t *Task) {
	at := &t.Range
	if t.block.Spec.Host != nil && len(b.refs.Host(t.Host).Creators) > 0 {
		at = new(t.block.Spec.Host.Range())
	}
	for _, creator := range b.refs.Host(t.Host).Creators {
		if need := b.tasks[creator]; t.beside(need) {
			e.connect(t.key(), need.key(), at)
		}
	}
}

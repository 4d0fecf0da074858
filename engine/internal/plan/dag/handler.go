package dag

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/graph"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/lists"
)

// findFlushes finds, for each task that notifies handlers, whether the handlers run before
// certain later tasks instead of at the end of its group. It leaves out tasks after the end
// of the group, since the handlers have run by then. g has the edges without handlers,
// which are added later.
func (b *builder) findFlushes(points []*Task, g *graph.Graph[Key]) {
	notifying := slices.DeleteFunc(b.all(), func(t *Task) bool { return len(t.block.Notifies) == 0 || t.Final() })
	before := map[*Task][]*Task{}
	for _, point := range points {
		earlier, empty := g.Closure(point.key()), true
		for _, t := range notifying {
			if t == point || !earlier[t.key()] {
				continue
			}
			empty = false
			if !earlier[t.group.end()] {
				before[t] = append(before[t], point)
			}
		}
		if empty {
			b.Tell(diag.List{{Warning: true, Summary: "Nothing to flush", Subject: &point.block.Spec.Range,
				Detail: "No task that " + point.block.Spec.Address() + " comes after notifies a handler. Name those that do in depends_on."}})
		}
	}
	made := map[string]*flush{} // one moment for the tasks that come before the same others
	for _, t := range notifying {
		if len(before[t]) == 0 {
			continue
		}
		addresses := lists.Map(before[t], func(point *Task) string { return point.Address })
		key := strings.Join(addresses, "\n")
		if made[key] == nil {
			made[key] = &flush{name: fmt.Sprintf("flush%d", len(made)+1), before: before[t]}
		}
		t.flush = made[key]
	}
}

// flushPoints lists the tasks that flush handlers.
func (b *builder) flushPoints() []*Task {
	return slices.DeleteFunc(b.all(), func(t *Task) bool { return !t.block.Spec.FlushHandlers || t.Final() })
}

// handlers makes a task of a handler for each host and each group of tasks that may notify
// it, and each flush of them. The run finds which of them to do.
func (b *builder) handlers() {
	for todo := b.all(); len(todo) > 0; todo = todo[1:] {
		t := todo[0]
		for _, n := range t.block.Notifies {
			for _, host := range n.Handler.HandlerHosts(t.Host) {
				h, isNew := b.handler(b.made[n.Handler], moment{t.group, t.flush, host})
				h.Watches = append(h.Watches, t)
				if isNew {
					todo = append(todo, h)
				}
			}
		}
	}
	for _, block := range b.blocks {
		if block.Spec.Handler {
			block.nameHandlers()
		}
	}
}

// handler returns a handler's task, and whether it was made.
func (b *builder) handler(block *block, when moment) (*Task, bool) {
	if h := block.moments[when]; h != nil {
		return h, false
	}
	g := when.group
	h := &Task{
		Task: b.refs.Instance(block.Block, when.host), Handler: true, OnFailure: g == b.groups.onFailure, Always: g == b.groups.always,
		block: block, group: g, flush: when.flush,
	}
	if len(g.tasks) > 0 {
		h.Stage = g.tasks[0].Stage
	}
	block.moments[when] = h
	block.add(h)
	g.handlers = append(g.handlers, h)
	return h, true
}

// nameHandlers gives the tasks of a handler their addresses, with the group and flush
// where a host has several.
func (b *block) nameHandlers() {
	count := map[string]int{}
	for _, h := range b.tasks {
		count[h.Host]++
	}
	for _, h := range b.tasks {
		h.Address = h.Task.Address
		if count[h.Host] == 1 {
			continue
		}
		when := h.group.name
		if h.flush != nil {
			when += "." + h.flush.name
		}
		h.Address = fmt.Sprintf("%s[%q, %q]", b.Spec.Address(), h.Host, when)
	}
}

// addFlushes puts flushed handlers after the tasks that notify them, and before the tasks
// that flush. If these are for several hosts, a handler's failure counts for its own host.
func (b *builder) addFlushes(e *edges) (some bool) {
	flushed := map[*Task][]*Task{}
	for _, h := range b.all() {
		if !h.Handler || h.flush == nil {
			continue
		}
		for _, t := range h.Watches {
			e.follow(h.key(), t.key(), new(t.block.Spec.Notify.Range()))
		}
		for _, t := range h.flush.before {
			flushed[t] = append(flushed[t], h)
		}
	}
	for _, t := range b.flushPoints() {
		own, others := flushed[t], []*Task(nil)
		switch {
		case t.Role != expand.Normal:
			own, others = nil, flushed[t]
		case t.block.spread():
			own, others = t.ownHost(flushed[t])
		}
		for _, h := range own {
			e.connect(t.key(), h.key(), &t.Range)
		}
		for _, h := range others {
			e.follow(t.key(), h.key(), &t.Range)
		}
	}
	return len(flushed) > 0
}

// lineUpHandlers prevents a handler from running twice at the same time on a host. It
// follows the order of the graph, so it makes no cycle.
func (b *builder) lineUpHandlers(g *graph.Graph[Key]) {
	place := map[Key]int{}
	for i, key := range g.Order() {
		place[key] = i
	}
	for _, block := range b.blocks {
		if !block.Spec.Handler {
			continue
		}
		last := map[string]*Task{} // by host
		all := slices.Clone(block.tasks)
		slices.SortFunc(all, func(x, y *Task) int { return place[x.key()] - place[y.key()] })
		for _, h := range all {
			if before := last[h.Host]; before != nil && (h.flush != nil || before.flush != nil) {
				g.Follow(h.key(), before.key())
			}
			last[h.Host] = h
		}
	}
}

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// flush is a moment at which handlers are done before the end of a stage: the tasks
// that ask for it come after the same notifying tasks.
type flush struct {
	name   string // in addresses of handlers, such as flush1
	before []*Task
}

// findFlushes finds, for each task that notifies handlers, whether these are done
// before others that come after it, and not at the end of its group. A handler's
// group has ended before what comes after the end of that, so those are left out.
func (b *builder) findFlushes() {
	points := b.flushPoints()
	if len(points) == 0 {
		return
	}
	notifying := b.notifyingTasks()
	inMain := func(t *Task) bool { return !t.final() }
	b.plan.Main.Tasks = b.planOrder(inMain)
	tasks := b.edges(&b.plan.Main, inMain, nil).graph // without handlers, which come of this
	before := map[*Task][]*Task{}
	for _, point := range points {
		closure := tasks.Closure(point.Address)
		empty := true
		for _, t := range notifying {
			if t == point || !closure[t.Address] {
				continue
			}
			empty = false
			if !closure[t.group.end()] {
				before[t] = append(before[t], point)
			}
		}
		if empty {
			b.warnNothingToFlush(point)
		}
	}
	b.nameFlushes(notifying, before)
}

// nameFlushes makes one moment of the tasks that come before the same others.
func (b *builder) nameFlushes(notifying []*Task, before map[*Task][]*Task) {
	made := map[string]*flush{}
	for _, t := range notifying {
		if len(before[t]) == 0 {
			continue
		}
		key := strings.Join(addresses(before[t]), "\n")
		if made[key] == nil {
			made[key] = &flush{name: fmt.Sprintf("flush%d", len(made)+1), before: before[t]}
		}
		t.flush = made[key]
	}
}

func (b *builder) flushPoints() []*Task {
	return slices.DeleteFunc(b.blocks.tasksInOrder(), func(t *Task) bool { return !t.block.spec.FlushHandlers || t.final() })
}

func (b *builder) notifyingTasks() []*Task {
	return slices.DeleteFunc(b.blocks.tasksInOrder(), func(t *Task) bool { return len(t.block.notifies) == 0 || t.final() })
}

func (b *builder) flushedHandlers() []*Task {
	var all []*Task
	for _, block := range b.handlers {
		for _, h := range block.instances {
			if h.flush != nil {
				all = append(all, h)
			}
		}
	}
	return all
}

func (b *builder) warnNothingToFlush(t *Task) {
	at := t.block.spec.Range
	b.diags = append(b.diags, diag.Diagnostic{Warning: true, Summary: "Nothing to flush", Subject: &at,
		Detail: "No task that " + t.block.spec.Address() + " comes after notifies a handler. Name those that do in depends_on."})
}

// addFlushes puts handlers that are flushed after what notifies them, and before the
// tasks that ask for it. Where these are for several hosts, a handler's failure
// counts for its own host.
func (b *builder) addFlushes(e *edges) {
	flushed := map[*Task][]*Task{}
	for _, h := range b.flushedHandlers() {
		for _, t := range h.Watches {
			e.follow(h.Address, t.Address, t.block.spec.Notify.Range())
		}
		for _, t := range h.flush.before {
			flushed[t] = append(flushed[t], h)
		}
	}
	for _, t := range b.flushPoints() {
		b.addFlush(e, t, flushed[t])
	}
	if len(flushed) > 0 && e.graph.Validate() == nil {
		b.lineUpHandlers(e)
	}
}

// addFlush puts handlers before a task that asks for it.
func (b *builder) addFlush(e *edges, t *Task, handlers []*Task) {
	own, others := handlers, []*Task(nil)
	if t.block.spread() {
		own, others = t.ownHost(handlers)
	}
	if t.Role != Normal {
		own, others = nil, handlers
	}
	for _, h := range own {
		e.connect(t.Address, h.Address, t.Range)
	}
	for _, h := range others {
		e.follow(t.Address, h.Address, t.Range)
	}
}

// lineUpHandlers keeps a handler from being done twice at the same time on a host. The
// order is one that the graph has already, so there will be no cycle.
func (b *builder) lineUpHandlers(e *edges) {
	place := map[string]int{}
	for i, key := range e.graph.Order() {
		place[key] = i
	}
	for _, block := range b.handlers {
		last := map[string]*Task{} // by host
		all := slices.Clone(block.instances)
		slices.SortFunc(all, func(x, y *Task) int { return place[x.Address] - place[y.Address] })
		for _, h := range all {
			if before := last[h.Host]; before != nil && (h.flush != nil || before.flush != nil) {
				e.follow(h.Address, before.Address, hcl.Range{})
			}
			last[h.Host] = h
		}
	}
}

// atEnd lists those of a group's handlers that are done at its end.
func (g *group) atEnd() []*Task {
	return slices.DeleteFunc(slices.Clone(g.handlers), func(h *Task) bool { return h.flush != nil })
}

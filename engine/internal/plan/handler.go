package plan

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
)

// declareHandlers makes the handler blocks, and finds what notifies them.
func (b *builder) declareHandlers() {
	for _, s := range b.in.Spec.Handlers {
		block := b.newBlock(s)
		block.hosts = b.ownHosts(s)
		b.handlers = append(b.handlers, block)
	}
	b.findNotified()
}

// expandHandlers makes an instance of a handler for each host and each group of tasks
// that may notify it, and each flush of them. Which of them are done is found in the
// run.
func (b *builder) expandHandlers() {
	for todo := b.blocks.tasksInOrder(); len(todo) > 0; todo = todo[1:] {
		t := todo[0]
		for _, ref := range t.block.notifies {
			for _, host := range b.handlerHosts(ref.block, t) {
				h, isNew := b.handler(ref.block, handlerKey{t.group, t.flush, host})
				h.Watches = append(h.Watches, t)
				if isNew {
					todo = append(todo, h)
				}
			}
		}
	}
	for _, block := range b.handlers {
		b.nameInstances(block)
	}
}

// findNotified finds which handlers every block notifies, and warns of those that
// nothing does.
func (b *builder) findNotified() {
	used, before := map[*block]bool{}, len(b.diags)
	for _, block := range b.blocks.order {
		block.notifies = b.notified(block.spec)
		for _, ref := range block.notifies {
			used[ref.block] = true
		}
	}
	if len(b.diags) > before {
		return // what is wrong with a notify may be why
	}
	for _, block := range b.handlers {
		if !used[block] {
			at := block.spec.Range
			b.diags = append(b.diags, diag.Diagnostic{Warning: true, Summary: "Unused handler", Subject: &at,
				Detail: "No task notifies " + block.spec.Address() + ", so it is never done."})
		}
	}
}

// tasksInOrder lists all instances.
func (b *blocks) tasksInOrder() []*Task {
	var all []*Task
	for _, block := range b.order {
		all = append(all, block.instances...)
	}
	return all
}

// ownHosts evaluates the host or hosts of a handler; it is nil without one.
func (b *builder) ownHosts(s *spec.Task) []string {
	in := b.spaces[s.In]
	scope := in.context(s.Range.Filename)
	switch {
	case s.Hosts != nil:
		return append([]string{}, b.hostNames(in, s.Hosts, scope)...)
	case s.Host != nil:
		return []string{b.hostName(s, scope)}
	}
	return nil
}

// handlerHosts lists the hosts on which a task's handler is done.
func (b *builder) handlerHosts(handler *block, t *Task) []string {
	if handler.hosts != nil {
		return handler.hosts
	}
	return []string{t.Host}
}

// handler returns an instance, and whether it was made.
func (b *builder) handler(block *block, key handlerKey) (*Task, bool) {
	if h := block.made[key]; h != nil {
		return h, false
	}
	s, g := block.spec, key.group
	h := &Task{
		Module: s.Module, Name: s.Name, Key: key.host, Host: key.host, For: key.host, Range: s.Range, Handler: true,
		OnFailure: g == b.groups.onFailure, Always: g == b.groups.always,
		block: block, group: g, flush: key.flush, plan: b.plan,
		scope: block.space.context(s.Range.Filename), files: b.in.Scope.Files(s.Range.Filename),
	}
	if len(g.tasks) > 0 {
		h.Stage = g.tasks[0].Stage
	}
	if block.made == nil {
		block.made = map[handlerKey]*Task{}
	}
	block.made[key] = h
	block.add(h)
	g.handlers = append(g.handlers, h)
	return h, true
}

// nameInstances gives the instances of a handler their addresses, with the group and
// flush where a host has several.
func (b *builder) nameInstances(block *block) {
	count := map[string]int{}
	for _, h := range block.instances {
		count[h.Host]++
	}
	for _, h := range block.instances {
		h.Address = instanceAddress(block.spec, h.Host)
		if count[h.Host] > 1 {
			h.Address = fmt.Sprintf("%s[%q, %q]", block.spec.Address(), h.Host, h.moment())
		}
		b.blocks.tasks[h.Address] = h
	}
}

// moment is when a handler is done, in its address.
func (t *Task) moment() string {
	if t.flush == nil {
		return t.group.name
	}
	return t.group.name + "." + t.flush.name
}

// notified evaluates notify, a list of handlers.
func (b *builder) notified(s *spec.Task) []reference {
	if s.Notify == nil {
		return nil
	}
	elements, problems := hcl.ExprList(s.Notify)
	if problems.HasErrors() {
		b.errorf(s.Notify.Range(), "Invalid notify", "Give a list of handlers, as in: notify = [handler.service.web]")
		return nil
	}
	var all []reference
	for _, e := range elements {
		if block := b.handlerNamed(b.spaces[s.In], e, "Invalid notify"); block != nil {
			all = append(all, reference{block: block, at: e.Range()})
		}
	}
	return all
}

// handlerNamed finds the handler that an expression names, or tells that there is
// none and returns nil.
func (b *builder) handlerNamed(in *space, e hcl.Expression, summary string) *block {
	t, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() || len(t) != 3 || t.RootName() != "handler" {
		b.errorf(e.Range(), summary, "Name a handler without quotes or an index, as in handler.service.web.")
		return nil
	}
	module, ok1 := stepKey(t[1])
	name, ok2 := stepKey(t[2])
	if !ok1 || !ok2 {
		b.errorf(e.Range(), summary, "Name a handler without quotes or an index, as in handler.service.web.")
		return nil
	}
	address := "handler." + module + "." + name
	found := in.byAddress[in.spec.Address(address)]
	if found == nil {
		near := diag.Near(name, in.names("handler", module))
		if near == "" {
			near = diag.Near(address, in.references("handler"))
		}
		b.errorf(e.Range(), "Unknown handler", "There is no %s.%s", address, near)
	}
	return found
}

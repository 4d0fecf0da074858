package plan

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// declareHosts expands the host blocks. Which tasks they refer to is found later,
// when the tasks are known.
func (b *builder) declareHosts() {
	for _, s := range b.in.Spec.Hosts {
		scope := b.spaces[s.In].context(s.Range.Filename)
		if s.ForEach == nil {
			b.declareHost(s, scope, s.Label)
			continue
		}
		elements, ok := b.elements(b.spaces[s.In], s.ForEach, scope)
		if !ok {
			continue
		}
		for _, e := range elements {
			b.declareHost(s, withEach(scope, e), e.key)
		}
	}
}

// withEach is a scope in which each is an element.
func withEach(scope *hcl.EvalContext, e element) *hcl.EvalContext {
	inner := scope.NewChild()
	inner.Variables = e.variables()
	return inner
}

// withHost is a scope in which each is a host's name. Many blocks have the same hosts.
func (b *builder) withHost(scope *hcl.EvalContext, name string) *hcl.EvalContext {
	inner := scope.NewChild()
	if b.eachHost[name] == nil {
		b.eachHost[name] = element{name, cty.StringVal(name)}.variables()
	}
	inner.Variables = b.eachHost[name]
	return inner
}

func (b *builder) declareHost(s *spec.Host, scope *hcl.EvalContext, name string) {
	h := &declaredHost{spec: s, scope: scope, vars: cty.EmptyObjectVal, space: b.spaces[s.In]}
	if s.Name != nil {
		var ok bool
		if name, ok = b.earlyText(h.space, "name", s.Name, scope); !ok {
			return
		}
	}
	h.name = name
	if b.hosts.has(name) {
		at := s.Range
		if s.Name != nil {
			at = s.Name.Range()
		}
		b.errorf(at, "Duplicate host", "There is a host %q already.", name)
		return
	}
	if s.Via != nil {
		h.via, _ = b.earlyText(h.space, "via", s.Via, scope)
	}
	if h.via == inventory.Localhost {
		h.via = ""
	}
	if s.Vars != nil {
		if value, ok := b.early(h.space, "vars", s.Vars, scope); ok {
			h.vars = value
		}
	}
	h.ways = Ways{Console: b.words(h, "console", s.Console), TakeConsole: b.words(h, "take_console", s.TakeConsole), Screen: b.words(h, "screen", s.Screen)}
	b.hosts.declared[name] = h
	b.hosts.order = append(b.hosts.order, h)
}

// words evaluates a command of a host block, which must need no task.
func (b *builder) words(h *declaredHost, argument string, expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	value, ok := b.earlyOpen(h.space, argument, expr, h.scope)
	if !ok || value.IsNull() {
		return nil
	}
	list, err := convert.Convert(value, cty.List(cty.String))
	if err != nil || !list.IsWhollyKnown() {
		b.errorf(expr.Range(), "Invalid "+argument, "Give a command as a list of words, as in: %s = [\"podman\", \"attach\", each.key]", argument)
		return nil
	}
	var words []string
	for it := list.ElementIterator(); it.Next(); {
		_, word := it.Element()
		words = append(words, word.AsString())
	}
	return words
}

// checkVia tells of hosts that are reached through hosts that do not exist, or
// through themselves.
func (b *builder) checkVia() {
	for _, h := range b.hosts.order {
		if h.via == "" {
			continue
		}
		at := h.spec.Via.Range()
		if !b.hosts.has(h.via) {
			b.errorf(at, "Unknown host", "The host %q is reached via %q, which is no host.%s", h.name, h.via, diag.Near(h.via, b.hosts.names()))
			continue
		}
		chain := b.hosts.chain(h.name)
		if last := chain[len(chain)-1]; b.hosts.declared[last.via] != nil {
			b.errorf(at, "Hosts in a cycle", "The host %q is reached through itself.", h.name)
		}
	}
}

// referHosts finds which tasks the host blocks refer to, and checks their
// arguments.
func (b *builder) referHosts() {
	for _, h := range b.hosts.order {
		s := h.spec
		reads, diags := h.space.find(h.scope, s.Address, s.Port, s.User, s.Transport, s.Become, s.PrivateKey, s.Password, s.HostKeys, s.OS, s.Auth, s.Certificate)
		h.reads, h.after = reads, b.dependencies(h.space, s.DependsOn, h.scope, false)
		if !diags.HasErrors() && !h.space.isLate(s.Address) {
			h.fixed = h.address(nil)
			b.hosts.remember(h.name)
		}
		if !diags.HasErrors() {
			_, diags, _ = h.settings(nil)
		}
		b.diags = append(b.diags, diags...)
	}
}

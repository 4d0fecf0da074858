package plan

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
)

// expandTasks makes the instances of all task blocks.
func (b *builder) expandTasks() {
	for _, s := range b.in.Spec.Tasks {
		b.expand(b.newBlock(s))
	}
	for names, space := range b.spaces {
		for _, s := range names.Secrets {
			if s.Task != nil {
				space.secrets[s.Name] = b.blocks.byAddress[s.Task.Address()]
			}
		}
	}
}

// newBlock makes a task or handler block without instances.
func (b *builder) newBlock(s *spec.Task) *block {
	block := &block{space: b.spaces[s.In], spec: s, kind: b.kinds[s.Module]}
	if block.kind == nil {
		b.errorf(s.ModuleRange, "Unknown module", "There is no module %q.%s", s.Module, diag.Near(s.Module, slices.Collect(maps.Keys(b.kinds))))
	} else if outputter, ok := block.kind.New().(module.Outputter); ok {
		block.outputs = outputter.OutputTypes()
		if confidential, ok := outputter.(module.Confidential); ok {
			block.secrets = confidential.SecretOutputs()
		}
	}
	b.blocks.order = append(b.blocks.order, block)
	b.blocks.byAddress[s.Address()] = block
	return block
}

// expand makes the instances of one block.
func (b *builder) expand(block *block) {
	s := block.spec
	scope := block.space.context(s.Range.Filename)
	before := len(b.diags)
	switch {
	case s.Hosts != nil && b.runOnce(s, scope):
		b.expandOnce(block, scope)
	case s.Hosts != nil:
		for _, name := range b.hostNames(block.space, s.Hosts, scope) {
			b.instance(block, &element{name, cty.StringVal(name)}, b.withHost(scope, name), name)
		}
	case s.ForEach != nil:
		elements, _ := b.elements(block.space, s.ForEach, scope)
		for _, e := range elements {
			inner := withEach(scope, e)
			b.instance(block, &e, inner, b.hostName(s, inner))
		}
	default:
		block.single = true
		b.instance(block, nil, scope, b.hostName(s, scope))
	}
	block.invalid = len(b.diags) > before
}

// runOnce evaluates run_once.
func (b *builder) runOnce(s *spec.Task, scope *hcl.EvalContext) bool {
	if s.RunOnce == nil {
		return false
	}
	value, ok := b.earlyAs(b.spaces[s.In], "run_once", s.RunOnce, scope, cty.Bool)
	return ok && value.True()
}

// expandOnce makes the instance for the first of the hosts. It has no key, since
// there is nothing to choose from.
func (b *builder) expandOnce(block *block, scope *hcl.EvalContext) {
	block.single = true
	names := b.hostNames(block.space, block.spec.Hosts, scope)
	if len(names) == 0 {
		b.instance(block, nil, scope, inventory.Localhost).Skip = "there are no hosts"
		return
	}
	b.instance(block, nil, b.withHost(scope, names[0]), names[0])
}

// hostName evaluates host; without it the task is on this machine.
func (b *builder) hostName(s *spec.Task, ctx *hcl.EvalContext) string {
	if s.Host == nil {
		return inventory.Localhost
	}
	name, ok := b.earlyText(b.spaces[s.In], "host", s.Host, ctx)
	if ok {
		b.checkHost(name, s.Host.Range())
	}
	return name
}

// hostNames evaluates hosts.
func (b *builder) hostNames(in *space, expr hcl.Expression, ctx *hcl.EvalContext) []string {
	value, ok := b.earlyAs(in, "hosts", expr, ctx, cty.List(cty.String))
	if !ok {
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for i, element := range value.AsValueSlice() {
		if element.IsNull() {
			b.errorf(expr.Range(), "Wrong type", "hosts has a null.")
			return nil
		}
		if name := element.AsString(); !seen[name] {
			seen[name] = true
			if !b.hosts.has(name) {
				b.checkHost(name, elementAt(expr, i))
			}
			names = append(names, name)
		}
	}
	return names
}

// elementAt is where an element of a list is written, or the whole expression when
// it is no list of elements.
func elementAt(expr hcl.Expression, i int) hcl.Range {
	elements, problems := hcl.ExprList(expr)
	if problems.HasErrors() || i >= len(elements) {
		return expr.Range()
	}
	return elements[i].Range()
}

func (b *builder) checkHost(name string, at hcl.Range) {
	if !b.hosts.has(name) {
		b.errorf(at, "Unknown host", "There is no host %q: it is not selected by --hosts, not in an inventory, and no host block declares it.%s",
			name, diag.Near(name, b.hosts.names()))
	}
}

// instance makes one task.
func (b *builder) instance(block *block, e *element, scope *hcl.EvalContext, host string) *Task {
	s := block.spec
	t := &Task{
		Address: s.Address(), Module: s.Module, Name: s.Name, Host: host, Stage: s.Stage, Range: s.Range,
		Always: s.Always && s.Block == nil, OnFailure: s.OnFailure && s.Block == nil, Role: roleOf(s),
		block: block, plan: b.plan, files: b.in.Scope.Files(s.Range.Filename),
	}
	if e != nil {
		t.Key, t.Address = e.key, instanceAddress(s, e.key)
	}
	t.For = b.countedFor(t)
	t.scope = scope
	block.add(t)
	b.blocks.tasks[t.Address] = t
	return t
}

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
		block := &block{spec: s, kind: b.kinds[s.Module], single: s.ForEach == nil && s.Hosts == nil}
		if block.kind == nil {
			b.errorf(s.ModuleRange, "Unknown module", "There is no module %q.%s", s.Module, diag.Near(s.Module, slices.Collect(maps.Keys(b.kinds))))
		} else if outputter, ok := block.kind.New().(module.Outputter); ok {
			block.outputs = outputter.OutputTypes()
		}
		b.blocks.order = append(b.blocks.order, block)
		b.blocks.byAddress[s.Address()] = block
		b.expand(block)
	}
}

// expand makes the instances of one block.
func (b *builder) expand(block *block) {
	s := block.spec
	scope := b.in.Scope.Context(s.Range.Filename)
	before := len(b.diags)
	switch {
	case s.Hosts != nil:
		for _, name := range b.hostNames(s.Hosts, scope) {
			e := element{name, cty.StringVal(name)}
			b.instance(block, &e, withEach(scope, e), name)
		}
	case s.ForEach != nil:
		elements, _ := b.elements(s.ForEach, scope)
		for _, e := range elements {
			inner := withEach(scope, e)
			b.instance(block, &e, inner, b.hostName(s, inner))
		}
	default:
		b.instance(block, nil, scope, b.hostName(s, scope))
	}
	block.invalid = len(b.diags) > before
}

// hostName evaluates host; without it the task is on this machine.
func (b *builder) hostName(s *spec.Task, ctx *hcl.EvalContext) string {
	if s.Host == nil {
		return inventory.Localhost
	}
	name, ok := b.earlyText("host", s.Host, ctx)
	if ok {
		b.checkHost(name, s.Host.Range())
	}
	return name
}

// hostNames evaluates hosts.
func (b *builder) hostNames(expr hcl.Expression, ctx *hcl.EvalContext) []string {
	value, ok := b.earlyAs("hosts", expr, ctx, cty.List(cty.String))
	if !ok {
		return nil
	}
	var names []string
	for _, element := range value.AsValueSlice() {
		if element.IsNull() {
			b.errorf(expr.Range(), "Wrong type", "hosts has a null.")
			return nil
		}
		if name := element.AsString(); !slices.Contains(names, name) {
			b.checkHost(name, expr.Range())
			names = append(names, name)
		}
	}
	return names
}

func (b *builder) checkHost(name string, at hcl.Range) {
	if !b.hosts.known(name) {
		b.errorf(at, "Unknown host", "There is no host %q: it is not selected by --hosts, not in an inventory, and no host block declares it.%s",
			name, diag.Near(name, b.hosts.names()))
	}
}

// instance makes one task.
func (b *builder) instance(block *block, e *element, scope *hcl.EvalContext, host string) {
	s := block.spec
	t := &Task{
		Address: s.Address(), Module: s.Module, Name: s.Name, Host: host, Stage: s.Stage, Range: s.Range,
		Always: s.Always, OnFailure: s.OnFailure, block: block, plan: b.plan,
	}
	if e != nil {
		t.Key, t.Address = e.key, instanceAddress(s, e.key)
	}
	t.scope = scope
	block.instances = append(block.instances, t)
	b.blocks.tasks[t.Address] = t
}

// referTasks evaluates what else must be known of each task before the run, and
// finds which tasks it refers to.
func (b *builder) referTasks() {
	for _, block := range b.blocks.order {
		exprs := expressions(block.spec.Args)
		for _, t := range block.instances {
			ctx := t.context(nil)
			t.Skip = b.skip(block.spec.When, ctx)
			t.Retry = b.retry(t, ctx)
			if block.spec.Timeout != nil {
				t.Timeout = b.duration("timeout", block.spec.Timeout, ctx, 1)
			}
			b.refer(t, ctx, exprs)
		}
	}
}

// skip evaluates when, and says why a task is not to be done.
func (b *builder) skip(when hcl.Expression, ctx *hcl.EvalContext) string {
	if when == nil {
		return ""
	}
	value, ok := b.earlyAs("when", when, ctx, cty.Bool)
	if !ok || value.True() {
		return ""
	}
	return "when is false"
}

// refer finds the tasks that a task refers to.
func (b *builder) refer(t *Task, ctx *hcl.EvalContext, exprs []hcl.Expression) {
	var diags diag.List
	t.reads, diags = b.blocks.find(ctx, exprs...)
	b.diags = append(b.diags, diags...)
	t.block.invalid = t.block.invalid || diags.HasErrors()
	if t.block.spec.DependsOn != nil {
		t.after, diags = b.blocks.find(ctx, t.block.spec.DependsOn)
		b.diags = append(b.diags, diags...)
		b.checkDependsOn(t.block.spec.DependsOn)
	}
	t.Needs = addresses(append(t.reads.tasks(), b.hosts.reads(t.Host)...))
	slices.Sort(t.Needs)
	t.Needs = slices.Compact(t.Needs)
}

// checkDependsOn tells of a depends_on that is no list of tasks.
func (b *builder) checkDependsOn(expr hcl.Expression) {
	elements, problems := hcl.ExprList(expr)
	if problems.HasErrors() {
		b.errorf(expr.Range(), "Invalid depends_on", "Give a list of tasks, as in: depends_on = [task.file.motd]")
		return
	}
	for _, e := range elements {
		names := false
		for _, t := range e.Variables() {
			names = names || t.RootName() == "task"
		}
		if !names {
			b.errorf(e.Range(), "Invalid depends_on", "Name a task without quotes, as in task.file.motd.")
		}
	}
}

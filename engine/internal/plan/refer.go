package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/spec"
)

// referTasks evaluates what else must be known of each task before the run, and
// finds which tasks it refers to.
func (b *builder) referTasks() { b.referInstances(b.blocks.order) }

// referHandlers does so for handlers, once it is known which instances there are.
func (b *builder) referHandlers() { b.referInstances(b.handlers) }

func (b *builder) referInstances(blocks []*block) {
	for _, block := range blocks {
		settled := !slices.ContainsFunc(earlyExpressions(block.spec), differs)
		late := block.late()
		for i, t := range block.instances {
			if i == 0 || !settled {
				b.settle(t)
			} else {
				t.settleAs(block.instances[0])
			}
			if i == 0 || !block.linked {
				b.link(t, late)
			} else {
				t.linkAs(block.instances[0])
			}
			t.Needs = b.needs(t)
		}
	}
}

// earlyExpressions lists the expressions of a task that are evaluated before the run,
// besides those that say which instances there are.
func earlyExpressions(s *spec.Task) []hcl.Expression {
	all := append(slices.Clone(s.When), s.Timeout)
	if s.Retry != nil {
		all = append(all, s.Retry.Attempts, s.Retry.Delay)
	}
	if s.Become != nil {
		all = append(all, s.Become.Value, s.Become.User, s.Become.Method)
	}
	return slices.DeleteFunc(all, func(e hcl.Expression) bool { return e == nil })
}

// settle evaluates the engine's arguments of a task.
func (b *builder) settle(t *Task) {
	block, ctx := t.block, t.context(nil)
	if t.Skip == "" {
		t.Skip = b.skip(block, ctx)
	}
	t.Retry = b.retry(t, ctx)
	t.Become = b.become(block, ctx)
	t.Sensitive = block.spec.Sensitive
	if block.spec.Timeout != nil {
		t.Timeout = b.duration(block.space, "timeout", block.spec.Timeout, ctx, 1)
	}
}

// settleAs takes them from another instance.
func (t *Task) settleAs(other *Task) {
	t.Skip, t.Retry, t.Become, t.Sensitive, t.Timeout = other.Skip, other.Retry, other.Become, other.Sensitive, other.Timeout
}

// skip evaluates the conditions that are known before the run, and says why a task
// is not to be done.
func (b *builder) skip(block *block, ctx *hcl.EvalContext) string {
	for _, condition := range block.spec.When {
		if block.space.isLate(condition) {
			continue
		}
		value, ok := b.earlyAs(block.space, "when", condition, ctx, cty.Bool)
		if ok && value.False() {
			return "when is false"
		}
	}
	return ""
}

// link finds the tasks that a task refers to, and whether the other instances of its
// block refer to the same.
func (b *builder) link(t *Task, exprs []hcl.Expression) {
	block, ctx := t.block, t.context(nil)
	found := block.space.search(ctx, exprs...)
	b.diags = append(b.diags, found.diags...)
	block.invalid = block.invalid || found.diags.HasErrors()
	t.reads = found.found
	block.linked = !found.own && !slices.ContainsFunc(block.spec.DependsOn, differs)
	for _, expr := range block.spec.DependsOn {
		t.after = append(t.after, b.dependencies(block.space, expr, ctx, t.Handler)...)
	}
}

// linkAs refers to what another instance refers to.
func (t *Task) linkAs(other *Task) { t.reads, t.after = other.reads, other.after }

// needs lists the tasks whose values a task needs, and its host.
func (b *builder) needs(t *Task) []string {
	first, reach := t.block.instances[0], b.tasksOf(t.Host).reach
	if t != first && t.block.linked && len(reach) == 0 && len(b.tasksOf(first.Host).reach) == 0 {
		return first.Needs
	}
	all := addresses(append(t.reads.tasks(), reach...))
	slices.Sort(all)
	return slices.Compact(all)
}

// hostTasks is the tasks that a host needs: those whose values it takes to reach it,
// and those that bring it about.
type hostTasks struct{ reach, bring []*Task }

// tasksOf finds them once for a host, after the host blocks' references are known.
func (b *builder) tasksOf(host string) *hostTasks {
	if known := b.hostTasks[host]; known != nil {
		return known
	}
	found := &hostTasks{reach: b.hosts.reads(host)}
	for _, h := range b.hosts.chain(host) {
		found.bring = append(append(found.bring, h.reads.tasks()...), h.after.tasks()...)
	}
	b.hostTasks[host] = found
	return found
}

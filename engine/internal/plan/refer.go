package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// referTasks evaluates what else must be known of each task before the run, and
// finds which tasks it refers to.
func (b *builder) referTasks() { b.referInstances(b.blocks.order) }

// referHandlers does so for handlers, once it is known which instances there are.
func (b *builder) referHandlers() { b.referInstances(b.handlers) }

func (b *builder) referInstances(blocks []*block) {
	for _, block := range blocks {
		exprs := append(expressions(block.spec.Args), engineExpressions(block.spec)...)
		for _, t := range block.instances {
			ctx := t.context(nil)
			if t.Skip == "" {
				t.Skip = b.skip(block, ctx)
			}
			t.Retry = b.retry(t, ctx)
			t.Become = b.become(block, ctx)
			t.Sensitive = block.spec.Sensitive
			if block.spec.Timeout != nil {
				t.Timeout = b.duration(block.space, "timeout", block.spec.Timeout, ctx, 1)
			}
			b.refer(t, ctx, exprs)
		}
	}
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

// refer finds the tasks that a task refers to.
func (b *builder) refer(t *Task, ctx *hcl.EvalContext, exprs []hcl.Expression) {
	var diags diag.List
	t.reads, diags = t.block.space.find(ctx, exprs...)
	b.diags = append(b.diags, diags...)
	t.block.invalid = t.block.invalid || diags.HasErrors()
	for _, expr := range t.block.spec.DependsOn {
		t.after = append(t.after, b.dependencies(t.block.space, expr, ctx, t.Handler)...)
	}
	t.Needs = addresses(append(t.reads.tasks(), b.hosts.reads(t.Host)...))
	slices.Sort(t.Needs)
	t.Needs = slices.Compact(t.Needs)
}

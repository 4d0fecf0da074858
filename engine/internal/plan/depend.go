package plan

import (
	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
)

// dependencies finds what the elements of a depends_on mean: tasks, all tasks of a
// block, and for a handler other handlers too.
func (b *builder) dependencies(in *space, expr hcl.Expression, scope *hcl.EvalContext, ofHandler bool) references {
	if expr == nil {
		return nil
	}
	elements, problems := hcl.ExprList(expr)
	if problems.HasErrors() {
		b.errorf(expr.Range(), "Invalid depends_on", "Give a list of tasks, blocks or imports, as in: depends_on = [task.file.motd]")
		return nil
	}
	var all references
	for _, e := range elements {
		switch root := rootOf(e); {
		case root == "block":
			all = append(all, b.membersOf(in, e)...)
		case root == "import":
			all = append(all, b.importOf(in, e)...)
		case root == "handler" && ofHandler:
			if block := b.handlerNamed(in, e, "Invalid depends_on"); block != nil {
				all = append(all, reference{block: block, at: e.Range()})
			}
		case root == "handler":
			b.errorf(e.Range(), "Invalid depends_on", "A handler is done after all tasks of a stage. To be done after it, a task names those that notify it, with flush_handlers = true, or is in a later stage.")
		case root == "task":
			found, diags := in.find(scope, e)
			all, b.diags = append(all, found...), append(b.diags, diags...)
		default:
			b.errorf(e.Range(), "Invalid depends_on", "Name a task, a block or an import without quotes, as in task.file.motd, block.deploy or import.shop.")
		}
	}
	return all
}

// rootOf is the first name of an expression that refers to something.
func rootOf(e hcl.Expression) string {
	for _, t := range e.Variables() {
		switch t.RootName() {
		case "task", "block", "handler", "import":
			return t.RootName()
		}
	}
	return ""
}

// membersOf finds the tasks of the block that an expression names. Those for
// failures need only to have ended.
func (b *builder) membersOf(in *space, e hcl.Expression) references {
	t, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() || len(t) != 2 {
		b.errorf(e.Range(), "Invalid depends_on", "Name a block without quotes or an index, as in block.deploy.")
		return nil
	}
	name, _ := stepKey(t[1])
	var names []string
	for _, s := range b.in.Spec.Blocks {
		if s.In != in.spec {
			continue
		}
		names = append(names, s.Name)
		if s.Name == name {
			return b.members(s, e.Range())
		}
	}
	b.errorf(e.Range(), "Unknown block", "There is no block.%s.%s", name, diag.Near(name, names))
	return nil
}

// importOf finds the tasks of the import that an expression names, but for handlers
// and those that are done after all others.
func (b *builder) importOf(in *space, e hcl.Expression) references {
	t, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() || len(t) != 2 {
		b.errorf(e.Range(), "Invalid depends_on", "Name an import as a whole and without quotes, as in import.shop.")
		return nil
	}
	label, _ := stepKey(t[1])
	var labels []string
	for _, names := range in.spec.Imports {
		labels = append(labels, names.Label)
		if names.Label == label {
			return b.inside(names, e.Range())
		}
	}
	b.errorf(e.Range(), "Unknown import", "There is no import.%s.%s", label, diag.Near(label, labels))
	return nil
}

func (b *builder) inside(names *spec.Namespace, at hcl.Range) references {
	var all references
	for _, block := range b.blocks.order {
		s := block.spec
		if s.In.Within(names) && !s.Handler && !(s.Block == nil && (s.Always || s.OnFailure)) {
			all = append(all, reference{block: block, at: at, soft: roleOf(s) == Rescue})
		}
	}
	return all
}

func (b *builder) members(s *spec.Block, at hcl.Range) references {
	var all references
	for _, block := range b.blocks.order {
		if block.spec.Block == s {
			all = append(all, reference{block: block, at: at, soft: roleOf(block.spec) == Rescue})
		}
	}
	return all
}

// narrow splits what a depends_on means for a task: what must have succeeded, and
// what must only have ended. Where both blocks have several hosts, those instances
// that are for the task's own host must have succeeded, so that the failure of one
// host does not stop the others. A task for one host alone stands on all of them. In a
// stage that goes batch by batch, the other batches do not count.
func (t *Task) narrow(ref reference) (must, may []*Task) {
	switch {
	case ref.task != nil:
		must = []*Task{ref.task}
	case !t.block.spread():
		must = t.inBatch(ref.block.instances)
	default:
		must, may = t.ownHost(t.inBatch(ref.block.instances))
	}
	if ref.soft {
		return nil, append(must, may...)
	}
	return must, may
}

// ownHost splits instances into those for the task's host and the others. Without one
// for it, all are its own.
func (t *Task) ownHost(all []*Task) (own, others []*Task) {
	for _, other := range all {
		if other.For == t.For {
			own = append(own, other)
			continue
		}
		others = append(others, other)
	}
	if len(own) == 0 {
		return others, nil
	}
	return own, others
}

// inBatch leaves those instances that are in the task's batch, where there are
// some; of handlers, those that are done at the same moment.
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

package spec

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// readBlock reads a block block: its tasks inherit its arguments.
func (l *loader) readBlock(b *hclsyntax.Block) {
	if !l.claim("block", "block."+b.Labels[0], b.DefRange()) {
		return
	}
	block := &Block{In: l.in, Name: b.Labels[0], Range: b.DefRange()}
	common := &Task{Block: block, Range: b.DefRange()}
	args := l.blockArguments(b)
	l.set(common, args, b.Body.Blocks)
	block.Stage, block.Serial, block.MaxFail = common.Stage, args["serial"], args["max_fail"]
	l.conflicts(common)
	l.spec.Blocks = append(l.spec.Blocks, block)
	l.readMembers(b, common)
}

// blockArguments returns the arguments of a block and reports unexpected ones.
func (l *loader) blockArguments(b *hclsyntax.Block) arguments {
	args, known := arguments{}, append(shared(), "stage", "serial", "max_fail")
	for _, attr := range sorted(b.Body.Attributes) {
		if !slices.Contains(known, attr.Name) {
			l.errorf(attr.NameRange, "Unknown argument", "A block has no argument %q.%s", attr.Name, diag.Near(attr.Name, known))
			continue
		}
		args[attr.Name] = attr.Expr
	}
	return args
}

// readMembers reads the tasks of a block.
func (l *loader) readMembers(b *hclsyntax.Block, common *Task) {
	members, task := 0, taskType()
	for _, inner := range b.Body.Blocks {
		switch {
		case inner.Type == "become":
		case inner.Type != "task":
			l.errorf(inner.TypeRange, "Unknown block type", "A block has no block %q.%s", inner.Type, diag.Near(inner.Type, []string{"task", "become"}))
		case l.labelled(inner, task):
			members++
			l.readMember(inner, common)
		}
	}
	if members == 0 {
		l.errorf(b.DefRange(), "Missing block", "A block needs a task, as in: %s", task.example)
	}
}

func (l *loader) readMember(b *hclsyntax.Block, common *Task) {
	t := l.task(b, &Task{Block: common.Block})
	if t == nil {
		return
	}
	if attr := b.Body.Attributes["stage"]; attr != nil {
		l.errorf(attr.NameRange, "Conflicting arguments", "The tasks of a block have its stage; write it in the block.")
	}
	t.inherit(common)
	l.conflicts(t)
	l.spec.Tasks = append(l.spec.Tasks, t)
}

// inherit sets what the task does not set from the block around it. Conditions and
// dependencies of both apply.
func (t *Task) inherit(common *Task) {
	t.Stage, t.stageRange = common.Stage, common.stageRange
	if t.Hosts == nil {
		t.Host = cmp.Or(t.Host, common.Host)
	}
	if t.Host == nil {
		t.Hosts = cmp.Or(t.Hosts, common.Hosts)
	}
	t.When = slices.Concat(common.When, t.When)
	t.DependsOn = slices.Concat(common.DependsOn, t.DependsOn)
	t.Environment = slices.Concat(common.Environment, t.Environment)
	t.Timeout, t.Cwd, t.Become = cmp.Or(t.Timeout, common.Timeout), cmp.Or(t.Cwd, common.Cwd), cmp.Or(t.Become, common.Become)
}

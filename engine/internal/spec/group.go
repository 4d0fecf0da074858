package spec

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// groupType is the block of tasks, at the top of a file or in another one.
func groupType() blockType {
	return blockType{[]string{"name"}, `block "deploy" { … }`, "block", (*loader).readBlock}
}

// readBlock reads a block block: its tasks inherit its arguments.
func (l *loader) readBlock(b *hclsyntax.Block) { l.blockWithin(b, nil) }

// blockWithin reads a block, which may be in another one with the arguments common.
func (l *loader) blockWithin(b *hclsyntax.Block, outer *Task) {
	block := &Block{In: l.in, Name: b.Labels[0], Range: b.DefRange()}
	common := &Task{In: l.in, Block: block, Range: b.DefRange()}
	args := l.blockArguments(b)
	l.set(common, args, b.Body.Blocks)
	common.Loops, common.ForEach = only(args["for_each"]), nil
	if outer != nil {
		block.Outer = outer.Block
		if common.Stage != "" {
			l.Errorf(common.stageRange, "Conflicting arguments", "A block in a block has its stage; write it in block %q.", outer.Block.Name)
		}
		common.inherit(outer)
	} else {
		l.receive(common)
	}
	block.Stage, block.Serial, block.MaxFail = common.Stage, args["serial"], args["max_fail"]
	l.conflicts(common)
	l.rolling(block)
	l.spec.Blocks = append(l.spec.Blocks, block)
	l.readMembers(b, common)
}

// rolling reports a block with batches within another one with batches.
func (l *loader) rolling(block *Block) {
	if block.Serial == nil && block.MaxFail == nil {
		return
	}
	for outer := block.Around(); outer != nil; outer = outer.Around() {
		if outer.Serial != nil || outer.MaxFail != nil {
			l.Errorf(block.Range, "Conflicting arguments", "The block %q has serial or max_fail, and so has the block %q around it (%s). Leave one out.", block.Name, outer.Name, outer.Range)
		}
	}
}

// blockArguments returns the arguments of a block and reports unexpected ones.
func (l *loader) blockArguments(b *hclsyntax.Block) arguments {
	args, known := arguments{}, append(shared(), "stage", "for_each", "serial", "max_fail", "tags")
	for _, attr := range sorted(b.Body.Attributes) {
		if !slices.Contains(known, attr.Name) {
			l.Errorf(attr.NameRange, "Unknown argument", "A block has no argument %q.%s", attr.Name, diag.Hint(attr.Name, known))
			continue
		}
		args[attr.Name] = attr.Expr
	}
	return args
}

// readMembers reads what is in a block: tasks, blocks and imports.
func (l *loader) readMembers(b *hclsyntax.Block, common *Task) {
	members, types := 0, map[string]blockType{"task": taskType(), "block": groupType(), "import": importType()}
	for _, inner := range b.Body.Blocks {
		if inner.Type == "become" {
			continue
		}
		if _, known := types[inner.Type]; !known {
			l.Errorf(inner.TypeRange, "Unknown block type", "A block has no block %q.%s", inner.Type, cmp.Or(diag.Hint(inner.Type, []string{"task", "block", "import", "become"}), " It has task, block, import and become; what else a task needs is in the task, and handlers are outside of blocks."))
			continue
		}
		members++
		if !l.admitted(inner, types[inner.Type]) {
			continue
		}
		switch inner.Type {
		case "task":
			l.readMember(inner, common)
		case "block":
			l.blockWithin(inner, common)
		case "import":
			if len(common.Loops) > 0 { // it has one task for each element, and an import is no task
				l.Errorf(inner.DefRange(), "Misplaced import", "A block with for_each has no import in it. Give the import the for_each, and write it outside of the block.")
				continue
			}
			l.importWithin(inner, common)
		}
	}
	if members == 0 {
		l.Errorf(b.DefRange(), "Missing block", "A block needs a task, as in: %s", taskType().example)
	}
}

func (l *loader) readMember(b *hclsyntax.Block, common *Task) {
	t := l.task(b, &Task{Block: common.Block})
	if t == nil {
		return
	}
	if attr := b.Body.Attributes["stage"]; attr != nil {
		l.Errorf(attr.NameRange, "Conflicting arguments", "The tasks of a block have its stage; write it in the block.")
	}
	t.inherit(common)
	l.conflicts(t)
	l.spec.Tasks = append(l.spec.Tasks, t)
}

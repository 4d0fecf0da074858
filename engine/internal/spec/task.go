package spec

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// taskType is the block of a task, at the top of a file or in a block block.
func taskType() blockType {
	return blockType{[]string{"module", "name"}, `task "file" "motd" { … }`, "", (*loader).readTask}
}

func (l *loader) readTask(b *hclsyntax.Block) {
	if t := l.task(b, &Task{}); t != nil {
		l.receive(t)
		l.conflicts(t)
		l.spec.Tasks = append(l.spec.Tasks, t)
	}
}

func (l *loader) readHandler(b *hclsyntax.Block) {
	t := l.task(b, &Task{Handler: true})
	if t == nil {
		return
	}
	l.receive(t)
	l.conflicts(t)
	for _, attr := range sorted(b.Body.Attributes) {
		if slices.Contains(taskMeta(), attr.Name) && !slices.Contains(handlerMeta(), attr.Name) {
			l.Errorf(attr.NameRange, "Unknown argument", "A handler has no argument %q: it is done for each host that notified it, at the end of the stage.", attr.Name)
		}
	}
	t.Listen = l.texts(argument(b, "listen"))
	l.spec.Topics = append(l.spec.Topics, t.Listen...)
	l.spec.Handlers = append(l.spec.Handlers, t)
}

// argument returns an argument of a block, nil without it.
func argument(b *hclsyntax.Block, name string) hcl.Expression {
	if attr := b.Body.Attributes[name]; attr != nil {
		return attr.Expr
	}
	return nil
}

// task reads a task or handler into t, or returns nil if it exists already.
func (l *loader) task(b *hclsyntax.Block, t *Task) *Task {
	t.In, t.Module, t.Name, t.ModuleRange, t.Range = l.in, b.Labels[0], b.Labels[1], b.LabelRanges[0], b.DefRange()
	if !l.claim(b.Type, t.root()+"."+t.Module+"."+t.Name, b.DefRange()) {
		return nil
	}
	args, rest := l.meta(b)
	l.set(t, args, b.Body.Blocks)
	t.Args = rest
	return t
}

// conflicts reports meta-arguments that cannot be used together.
func (l *loader) conflicts(t *Task) {
	if t.Hosts != nil && t.Host != nil {
		l.Errorf(t.Hosts.Range(), "Conflicting arguments", "A %s has host or hosts, not both.", t.root())
	}
	if t.Always && t.OnFailure {
		l.Errorf(t.Range, "Conflicting arguments", "A task with always is done after a failure too; leave out on_failure.")
	}
	if t.FlushHandlers && (t.Always || t.OnFailure) && t.Around() == nil {
		l.Errorf(t.Range, "Conflicting arguments", "A task with always or on_failure is done after all handlers; leave out flush_handlers.")
	}
	if t.RunOnce != nil && t.Hosts == nil {
		l.Errorf(t.RunOnce.Range(), "Missing argument", "run_once is for a task with hosts: it is done on the first of them alone.")
	}
	if t.Until != nil && t.Retry == nil {
		l.Errorf(t.Until.Range(), "Missing block", "until needs a retry block that says how often to try, as in: retry { attempts = 10 }")
	}
}

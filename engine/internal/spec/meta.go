package spec

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// shared lists the meta-arguments that a block gives to its tasks.
func shared() []string {
	return []string{"host", "hosts", "when", "depends_on", "timeout", "throttle", "become", "environment", "cwd"}
}

// handlerMeta lists the engine's arguments of a handler.
func handlerMeta() []string {
	return append(commonMeta(), "listen")
}

// commonMeta lists the engine's arguments of both tasks and handlers.
func commonMeta() []string {
	return append(shared(), "notify", "until", "changed_when", "failed_when", "sensitive", "advice")
}

// taskMeta lists the engine's arguments of a task.
func taskMeta() []string {
	return append(commonMeta(), "stage", "for_each", "run_once", "on_failure", "always", "flush_handlers", "tags")
}

// Meta lists the names of the engine's arguments.
func (t *Task) Meta() []string {
	if t.Handler {
		return handlerMeta()
	}
	return taskMeta()
}

// metaBlocks are the engine's inner blocks of tasks and handlers.
var metaBlocks = []string{"retry", "become"}

// meta separates the engine's arguments of a task or handler from the module's. One that is null
// is not set, except those that decide how many instances there are.
func (l *loader) meta(b *hclsyntax.Block) (arguments, *hclsyntax.Body) {
	args, all := arguments{}, taskMeta()
	if b.Type == "handler" {
		all = append(all, handlerMeta()...)
	}
	rest := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: b.Body.SrcRange, EndRange: b.Body.EndRange}
	for name, attr := range b.Body.Attributes {
		if slices.Contains(all, name) {
			if !isNull(attr.Expr) || name == "hosts" || name == "for_each" {
				args[name] = attr.Expr
			}
			continue
		}
		rest.Attributes[name] = attr
	}
	for _, inner := range b.Body.Blocks {
		if !slices.Contains(metaBlocks, inner.Type) {
			rest.Blocks = append(rest.Blocks, inner)
		}
	}
	return args, rest
}

// isNull reports whether an expression is null, written out.
func isNull(expr hcl.Expression) bool {
	value, problems := expr.Value(nil)
	return len(expr.Variables()) == 0 && !problems.HasErrors() && value.IsNull()
}

// set gives a task its meta-arguments.
func (l *loader) set(t *Task, args arguments, blocks hclsyntax.Blocks) {
	t.Host, t.Hosts, t.ForEach, t.RunOnce = args["host"], args["hosts"], args["for_each"], args["run_once"]
	t.When, t.DependsOn, t.Environment = only(args["when"]), only(args["depends_on"]), only(args["environment"])
	t.Notify, t.Timeout, t.Throttle, t.Cwd = args["notify"], args["timeout"], args["throttle"], args["cwd"]
	t.Tags = l.tags(args["tags"])
	t.Until, t.ChangedWhen, t.FailedWhen = args["until"], args["changed_when"], args["failed_when"]
	t.Advice = args["advice"]
	t.Retry, t.Become = l.retry(blocks), l.become(args["become"], blocks)
	l.literal(args["sensitive"], &t.Sensitive)
	l.literal(args["always"], &t.Always)
	l.literal(args["flush_handlers"], &t.FlushHandlers)
	l.literal(args["on_failure"], &t.OnFailure)
	if l.literal(args["stage"], &t.Stage) {
		t.stageRange = args["stage"].Range()
	}
}

// only returns a list of the expression, empty if it is nil.
func only(expr hcl.Expression) []hcl.Expression {
	if expr == nil {
		return nil
	}
	return []hcl.Expression{expr}
}

// inner returns the only inner block of a type, or nil.
func (l *loader) inner(blocks hclsyntax.Blocks, kind string) *hclsyntax.Block {
	var found *hclsyntax.Block
	for _, b := range blocks {
		switch {
		case b.Type != kind:
		case found != nil:
			l.Errorf(b.DefRange(), "Duplicate block", "There may be one %s block.", kind)
		case len(b.Labels) > 0:
			l.Errorf(b.DefRange(), "Wrong labels", "A %s block has no label.", kind)
		default:
			found = b
		}
	}
	return found
}

func (l *loader) retry(blocks hclsyntax.Blocks) *Retry {
	b := l.inner(blocks, "retry")
	if b == nil {
		return nil
	}
	args, _ := l.content(b, []string{"attempts!", "delay"}, nil)
	return &Retry{Attempts: args["attempts"], Delay: args["delay"], Range: b.DefRange()}
}

// become reads the become argument or the become block, if there is one.
func (l *loader) become(value hcl.Expression, blocks hclsyntax.Blocks) *Become {
	b := l.inner(blocks, "become")
	if b == nil && value == nil {
		return nil
	}
	if b == nil {
		return &Become{Value: value, Range: value.Range()}
	}
	if value != nil {
		l.Errorf(b.DefRange(), "Conflicting arguments", "Give become as an argument or as a block, not both.")
	}
	args, _ := l.content(b, []string{"user", "method"}, nil)
	return &Become{User: args["user"], Method: args["method"], Range: b.DefRange()}
}

package refs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/expand"
)

// find collects the references of expressions in a scope, by their place. The host is that of
// the task with the expressions, or empty.
func (all *Refs) find(in *expand.Namespace, scope *hcl.EvalContext, host string, exprs ...hcl.Expression) *finder {
	f := &finder{all: all, in: in, scope: scope, host: host, seen: map[hclsyntax.Node]bool{}, outputs: map[hclsyntax.Node]hcl.TraverseAttr{}}
	for _, expr := range exprs {
		if node, ok := hcl.UnwrapExpression(expr).(hclsyntax.Expression); ok {
			hclsyntax.Walk(node, f)
		}
	}
	slices.SortStableFunc(f.found, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Start.Byte, b.At.Start.Byte))
	})
	return f
}

// finder walks expressions.
type finder struct {
	all     *Refs
	in      *expand.Namespace
	scope   *hcl.EvalContext
	host    string
	locals  []map[string]struct{}               // names that for expressions define
	seen    map[hclsyntax.Node]bool             // traversals that belong to an index
	outputs map[hclsyntax.Node]hcl.TraverseAttr // the step after an index
	found   References
	own     bool // another instance may have found others
	diags   diag.List
}

// Enter visits a node before its inner nodes.
func (f *finder) Enter(node hclsyntax.Node) hcl.Diagnostics {
	switch n := node.(type) {
	case hclsyntax.ChildScope:
		f.locals = append(f.locals, n.LocalNames)
	case *hclsyntax.RelativeTraversalExpr:
		if attr, ok := n.Traversal[0].(hcl.TraverseAttr); ok {
			f.outputs[n.Source] = attr
		}
	case *hclsyntax.IndexExpr:
		if t, ok := n.Collection.(*hclsyntax.ScopeTraversalExpr); ok && len(t.Traversal) == 3 && f.isTask(t.Traversal) {
			f.seen[t] = true
			f.index(n, t)
		}
	case *hclsyntax.SplatExpr:
		f.splat(n)
	case *hclsyntax.ScopeTraversalExpr:
		if !f.seen[n] && f.isTask(n.Traversal) {
			f.traversal(n.Traversal)
		}
		f.other(n.Traversal)
	}
	return nil
}

// other records a reference by another name to what may be values of tasks.
func (f *finder) other(t hcl.Traversal) {
	root := t.RootName()
	switch {
	case f.isLocal(root):
	case root == "secret":
		made, diags := f.in.Secret(t)
		f.diags = append(f.diags, diags...)
		if made != nil {
			name, _ := expand.StepKey(t[1])
			f.add(f.all.secrets[f.in][name], nil, t.SourceRange())
		}
	default:
		bindings, diags := f.in.Bindings(t)
		f.diags = append(f.diags, diags...)
		for _, r := range bindings {
			if r.PerHost && f.host == "" {
				f.diags = append(f.diags, r.NoHost(t.SourceRange())...)
				continue
			}
			f.own = f.own || r.PerHost
			f.binding(f.all.bound(r, f.host), t.SourceRange())
		}
	}
}

// binding records a reference to a binding, and to its references.
func (f *finder) binding(r *binding, at hcl.Range) {
	f.diags = append(f.diags, f.all.refer(r)...)
	f.found = append(f.found, Reference{through: r, At: at})
	for _, ref := range r.args {
		if ref.Block != nil {
			f.found = append(f.found, Reference{Block: ref.Block, Task: ref.Task, through: r, At: at})
		}
	}
}

// bound returns a binding on a host, which counts only if the binding has a value for each.
func (all *Refs) bound(r *expand.Binding, host string) *binding {
	if !r.PerHost {
		host = ""
	}
	key := bound{r, host}
	found := all.bindings[key]
	if found == nil {
		found = &binding{Binding: r, host: host}
		all.bindings[key] = found
		all.made = append(all.made, found)
	}
	return found
}

// refer finds a binding's references, once.
func (all *Refs) refer(r *binding) diag.List {
	if r.referred {
		return nil
	}
	r.referred = true
	found := all.find(r.Namespace, all.scope(r, nil), r.host, r.Expr)
	r.args, r.invalid = found.found, r.Cyclic || found.diags.HasErrors()
	return r.onHost(found.diags)
}

// Exit leaves a node.
func (f *finder) Exit(node hclsyntax.Node) hcl.Diagnostics {
	if _, ok := node.(hclsyntax.ChildScope); ok {
		f.locals = f.locals[:len(f.locals)-1]
	}
	return nil
}

func (f *finder) isTask(t hcl.Traversal) bool { return t.RootName() == "task" && !f.isLocal("task") }

func (f *finder) isLocal(name string) bool {
	for _, names := range f.locals {
		if _, ok := names[name]; ok {
			return true
		}
	}
	return false
}

// block finds the block of a traversal's first three steps.
func (f *finder) block(t hcl.Traversal) *Block {
	at := t.SourceRange()
	if len(t) < 3 {
		f.errorf(at, "Invalid reference", "Name a task, as in task.file.motd.")
		return nil
	}
	module, ok1 := t[1].(hcl.TraverseAttr)
	name, ok2 := t[2].(hcl.TraverseAttr)
	if !ok1 || !ok2 {
		f.errorf(at, "Invalid reference", "Name a task, as in task.file.motd.")
		return nil
	}
	found, near := f.all.Set.Find(f.in, "task", module.Name, name.Name)
	if found == nil {
		f.errorf(at, "Unknown task", "There is no task.%s.%s.%s", module.Name, name.Name, near)
	}
	return f.all.blocks[found]
}

// traversal records a reference without an expression in it.
func (f *finder) traversal(t hcl.Traversal) {
	block := f.block(t)
	if block == nil {
		return
	}
	at := t.SourceRange()
	if len(t) == 3 || block.Invalid {
		f.add(block, nil, at)
		return
	}
	if _, isIndex := t[3].(hcl.TraverseIndex); block.Single && isIndex {
		f.unexpectedKey(block, at)
		return
	}
	if block.Single {
		f.output(block, t[3])
		f.add(block, nil, at)
		return
	}
	key, ok := expand.StepKey(t[3])
	if task := f.all.Instance(block, key); ok && task != nil {
		if len(t) > 4 {
			f.output(block, t[4])
		}
		f.add(block, task, at)
		return
	}
	if attr, ok := t[3].(hcl.TraverseAttr); ok {
		f.errorf(at, "Missing key", "%s has instances, so choose one, as in %s[each.key].%s.", block.Reference(), block.Reference(), attr.Name)
		return
	}
	f.noInstance(block, key, at)
}

// index records a reference whose key is an expression: to one instance if the key is
// known, otherwise to all.
func (f *finder) index(n *hclsyntax.IndexExpr, t *hclsyntax.ScopeTraversalExpr) {
	block := f.block(t.Traversal)
	if block == nil {
		return
	}
	at := n.Range()
	if block.Invalid {
		f.add(block, nil, at)
		return
	}
	if block.Single {
		f.unexpectedKey(block, at)
		return
	}
	if attr, ok := f.outputs[n]; ok {
		f.output(block, attr)
	}
	key, ok := f.key(n.Key)
	if !ok {
		f.add(block, nil, at)
		return
	}
	task := f.all.Instance(block, key)
	if task == nil {
		f.noInstance(block, key, at)
		return
	}
	f.add(block, task, at)
}

// key evaluates a key, which must use only the scope.
func (f *finder) key(expr hclsyntax.Expression) (string, bool) {
	f.own = f.own || f.in.Differs(expr)
	for _, t := range expr.Variables() {
		if f.in.NeedsTask(t) || f.isLocal(t.RootName()) {
			return "", false
		}
	}
	ctx, diags := f.in.Known(expr, f.scope)
	if diags.HasErrors() {
		return "", false // reported with the reference in the key
	}
	value, problems := bounds.Value(expr, ctx)
	if problems.HasErrors() {
		return "", false
	}
	return decode.KeyText(value)
}

// output reports a step that is no output of the block's module.
func (f *finder) output(b *Block, step hcl.Traverser) {
	name, ok := expand.StepKey(step)
	if !ok || b.Kind == nil {
		return
	}
	if _, ok := b.Outputs[name]; ok {
		return
	}
	at := step.SourceRange()
	if len(b.Outputs) == 0 {
		f.errorf(at, "Unknown output", "The module %q has no outputs. To be done after %s, use depends_on.", b.Kind.Name, b.Spec.Address())
		return
	}
	f.errorf(at, "Unknown output", "The module %q has no output %q.%s", b.Kind.Name, name, diag.Near(name, slices.Collect(maps.Keys(b.Outputs))))
}

func (f *finder) unexpectedKey(b *Block, at hcl.Range) {
	f.errorf(at, "Unexpected key", "%s has neither for_each nor hosts, so there is nothing to choose by a key.", b.Spec.Address())
}

// splat reports a splat of a task with instances, which is no list.
func (f *finder) splat(n *hclsyntax.SplatExpr) {
	t, ok := n.Source.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) != 3 || !f.isTask(t.Traversal) {
		return
	}
	module, _ := expand.StepKey(t.Traversal[1])
	name, _ := expand.StepKey(t.Traversal[2])
	address := "task." + module + "." + name
	found, _ := f.all.Set.Find(f.in, "task", module, name)
	if b := f.all.blocks[found]; b != nil && !b.Single && !b.Invalid {
		f.errorf(n.Range(), "Invalid splat", "%s is an object with the instances by their keys, no list. For all of them write values(%s)[*].", address, address)
	}
}

func (f *finder) noInstance(b *Block, key string, at hcl.Range) {
	near := diag.Near(key, b.Keys())
	if near == "" {
		near = someKeys(b.Keys())
	}
	f.errorf(at, "Unknown instance", "%s has no instance %q.%s", b.Spec.Address(), key, near)
}

// Instance returns the task of a block with a key, or nil.
func (all *Refs) Instance(b *Block, key string) *Task {
	if made := b.Instance(key); made != nil {
		return all.tasks[made.Address]
	}
	return nil
}

// someKeys lists the first keys in a sentence.
func someKeys(keys []string) string {
	const most = 5
	switch {
	case len(keys) == 0:
		return " It has none."
	case len(keys) > most:
		return fmt.Sprintf(" It has %s and %d more.", strings.Join(keys[:most], ", "), len(keys)-most)
	}
	return " It has " + strings.Join(keys, ", ") + "."
}

func (f *finder) add(b *Block, t *Task, at hcl.Range) {
	f.found = append(f.found, Reference{Block: b, Task: t, At: at})
}

func (f *finder) errorf(at hcl.Range, summary, format string, args ...any) {
	f.diags = append(f.diags, diag.Errorf(&at, summary, format, args...)...)
}

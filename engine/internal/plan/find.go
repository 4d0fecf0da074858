package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
)

// find collects the references of expressions in a scope, by their place.
func (s *space) find(scope *hcl.EvalContext, exprs ...hcl.Expression) (references, diag.List) {
	f := s.search(scope, exprs...)
	return f.found, f.diags
}

// search is find, and tells whether what it found depends on the scope.
func (s *space) search(scope *hcl.EvalContext, exprs ...hcl.Expression) *finder {
	f := &finder{space: s, scope: scope, seen: map[hclsyntax.Node]bool{}, outputs: map[hclsyntax.Node]hcl.TraverseAttr{}}
	for _, expr := range exprs {
		if node, ok := hcl.UnwrapExpression(expr).(hclsyntax.Expression); ok {
			hclsyntax.Walk(node, f)
		}
	}
	slices.SortStableFunc(f.found, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.at.Filename, b.at.Filename), cmp.Compare(a.at.Start.Byte, b.at.Start.Byte))
	})
	return f
}

// expressions lists all expressions of a body.
func expressions(body *hclsyntax.Body) []hcl.Expression {
	var all []hcl.Expression
	for _, attr := range body.Attributes {
		all = append(all, attr.Expr)
	}
	for _, inner := range body.Blocks {
		all = append(all, expressions(inner.Body)...)
	}
	return all
}

// finder walks expressions.
type finder struct {
	*space
	scope   *hcl.EvalContext
	locals  []map[string]struct{}               // names that for expressions define
	seen    map[hclsyntax.Node]bool             // traversals that belong to an index
	outputs map[hclsyntax.Node]hcl.TraverseAttr // what follows an index
	found   references
	own     bool // another instance may have found others
	diags   diag.List
}

// Enter looks at a node before what is inside of it.
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

// other records a reference to what may be values of tasks by another name.
func (f *finder) other(t hcl.Traversal) {
	root := t.RootName()
	switch {
	case f.isLocal(root):
	case root == "secret":
		f.secret(t)
	case root == "import":
		f.imported(t)
	case root == "var":
		f.input(t)
	}
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
func (f *finder) block(t hcl.Traversal) *block {
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
	address := "task." + module.Name + "." + name.Name
	found := f.byAddress[f.spec.Address(address)]
	if found == nil {
		near := diag.Near(name.Name, f.names("task", module.Name))
		if near == "" {
			near = diag.Near(address, f.references("task"))
		}
		f.errorf(at, "Unknown task", "There is no %s.%s", address, near)
	}
	return found
}

// traversal records a reference without an expression in it.
func (f *finder) traversal(t hcl.Traversal) {
	block := f.block(t)
	if block == nil {
		return
	}
	at := t.SourceRange()
	if len(t) == 3 || block.invalid {
		f.add(block, nil, at)
		return
	}
	if _, isIndex := t[3].(hcl.TraverseIndex); block.single && isIndex {
		f.unexpectedKey(block, at)
		return
	}
	if block.single {
		f.output(block, t[3])
		f.add(block, nil, at)
		return
	}
	key, ok := stepKey(t[3])
	if task := block.instance(key); ok && task != nil {
		if len(t) > 4 {
			f.output(block, t[4])
		}
		f.add(block, task, at)
		return
	}
	if attr, ok := t[3].(hcl.TraverseAttr); ok {
		f.errorf(at, "Missing key", "%s has instances, so choose one, as in %s[each.key].%s.", block.reference(), block.reference(), attr.Name)
		return
	}
	f.noInstance(block, key, at)
}

// stepKey is the key that a step of a traversal chooses.
func stepKey(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		return keyText(step.Key)
	}
	return "", false
}

func keyText(key cty.Value) (string, bool) {
	key, _ = sensitive.Plain(key) // instances have no sensitive keys
	text, err := convert.Convert(key, cty.String)
	if err != nil || !text.IsKnown() || text.IsNull() {
		return "", false
	}
	return text.AsString(), true
}

// index records a reference whose key is an expression: to one instance when the
// key is known, to all otherwise.
func (f *finder) index(n *hclsyntax.IndexExpr, t *hclsyntax.ScopeTraversalExpr) {
	block := f.block(t.Traversal)
	if block == nil {
		return
	}
	at := n.Range()
	if block.invalid {
		f.add(block, nil, at)
		return
	}
	if block.single {
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
	task := block.instance(key)
	if task == nil {
		f.noInstance(block, key, at)
		return
	}
	f.add(block, task, at)
}

// key evaluates a key, which is possible when it uses nothing but the scope.
func (f *finder) key(expr hclsyntax.Expression) (string, bool) {
	f.own = f.own || differs(expr)
	for _, t := range expr.Variables() {
		if f.needsTask(t) || f.isLocal(t.RootName()) {
			return "", false
		}
	}
	value, problems := bounds.Value(expr, f.scope)
	if problems.HasErrors() {
		return "", false
	}
	return keyText(value)
}

// output tells of a step that is no output of the block's module.
func (f *finder) output(b *block, step hcl.Traverser) {
	name, ok := stepKey(step)
	if !ok || b.kind == nil {
		return
	}
	if _, ok := b.outputs[name]; ok {
		return
	}
	at := step.SourceRange()
	if len(b.outputs) == 0 {
		f.errorf(at, "Unknown output", "The module %q has no outputs. To be done after %s, use depends_on.", b.kind.Name, b.spec.Address())
		return
	}
	f.errorf(at, "Unknown output", "The module %q has no output %q.%s", b.kind.Name, name, diag.Near(name, b.outputNames()))
}

func (f *finder) unexpectedKey(b *block, at hcl.Range) {
	f.errorf(at, "Unexpected key", "%s has neither for_each nor hosts, so there is nothing to choose by a key.", b.spec.Address())
}

// splat tells of a splat of a task with instances, which is no list.
func (f *finder) splat(n *hclsyntax.SplatExpr) {
	t, ok := n.Source.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) != 3 || !f.isTask(t.Traversal) {
		return
	}
	module, _ := stepKey(t.Traversal[1])
	name, _ := stepKey(t.Traversal[2])
	address := "task." + module + "." + name
	if b := f.byAddress[f.spec.Address(address)]; b != nil && !b.single && !b.invalid {
		f.errorf(n.Range(), "Invalid splat", "%s is an object with the instances by their keys, no list. For all of them write values(%s)[*].", address, address)
	}
}

func (f *finder) noInstance(b *block, key string, at hcl.Range) {
	near := diag.Near(key, b.keys())
	if near == "" {
		near = someKeys(b.keys())
	}
	f.errorf(at, "Unknown instance", "%s has no instance %q.%s", b.spec.Address(), key, near)
}

// someKeys is a sentence with the first keys there are.
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

func (f *finder) add(b *block, t *Task, at hcl.Range) {
	f.found = append(f.found, reference{block: b, task: t, at: at})
}

func (f *finder) errorf(at hcl.Range, summary, format string, args ...any) {
	f.diags = append(f.diags, diag.Errorf(&at, summary, format, args...)...)
}

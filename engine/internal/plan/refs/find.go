package refs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/expand"
)

// find collects the references of expressions in a scope, by their place. The host is that of
// the task with the expressions, or empty.
func (all *Refs) find(in *expand.Namespace, scope *hcl.EvalContext, host string, exprs ...hcl.Expression) *finder {
	f := &finder{all: all, in: in, scope: scope, host: host, seen: map[hclsyntax.Node]bool{}}
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
	all    *Refs
	in     *expand.Namespace
	scope  *hcl.EvalContext
	host   string
	locals []map[string]struct{}   // names that for expressions define
	seen   map[hclsyntax.Node]bool // parts of chains
	found  References
	own    bool // another instance may have found others
	diag.Collector
}

// Enter visits a node before its inner nodes.
func (f *finder) Enter(node hclsyntax.Node) hcl.Diagnostics {
	switch n := node.(type) {
	case hclsyntax.ChildScope:
		f.locals = append(f.locals, n.LocalNames)
	case *hclsyntax.SplatExpr:
		f.splat(n)
	case *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr, *hclsyntax.ScopeTraversalExpr:
		c := f.chain(n)
		switch {
		case c == nil:
		case f.isTask(c.from):
			f.task(c)
		case !f.isLocal(c.from.RootName()):
			f.other(f.fixed(c))
		}
	}
	return nil
}

// fixed returns a chain's steps up to the first key that is not known, as far as they can
// choose between imports with for_each. Other expressions in it are visited by themselves.
func (f *finder) fixed(c *chain) hcl.Traversal {
	t := c.from
	if len(t) != 2 || t.RootName() != "import" || len(c.steps) < 2 || c.steps[1].key == nil {
		return t
	}
	key, known := f.key(c.steps[1].key)
	if !known {
		return t
	}
	t = append(slices.Clip(t), hcl.TraverseIndex{Key: cty.StringVal(key), SrcRange: c.at})
	for _, next := range c.steps[2:] {
		if next.fixed == nil {
			break
		}
		t = append(t, next.fixed)
	}
	return t
}

// other records a reference by another name to what may be values of tasks.
func (f *finder) other(t hcl.Traversal) {
	root := t.RootName()
	switch {
	case f.isLocal(root):
	case root == "secret":
		made, diags := f.in.Secret(t)
		f.Tell(diags)
		if made != nil {
			name, _ := expand.StepKey(t[1])
			f.add(f.all.secrets[f.in][name], nil, t.SourceRange())
		}
	default:
		bindings, diags := f.in.Bindings(t)
		f.Tell(diags)
		for _, r := range bindings {
			if r.PerHost && f.host == "" {
				f.Tell(r.NoHost(t.SourceRange()))
				continue
			}
			f.own = f.own || r.PerHost
			f.binding(f.all.bound(r, f.host), t.SourceRange())
		}
	}
}

// binding records a reference to a binding, and to its references.
func (f *finder) binding(r *binding, at hcl.Range) {
	f.Tell(f.all.refer(r))
	f.found = append(f.found, Reference{through: r, At: at})
	for _, ref := range r.args {
		if ref.Block != nil {
			ref.through, ref.At = r, at
			f.found = append(f.found, ref)
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
	r.args, r.invalid = found.found, r.Cyclic || found.Diags.HasErrors()
	return r.onHost(found.Diags)
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

// chain is a reference with all its steps, some of which may be keys that are expressions.
type chain struct {
	from  hcl.Traversal // the first part, without expressions
	steps []step        // all after the root
	at    hcl.Range     // of the first part, or up to the last key that is an expression
}

// step is one step of a chain: an attribute or key, or an expression for a key.
type step struct {
	fixed hcl.Traverser
	key   hclsyntax.Expression
}

// chain returns the chain that ends with a node, or nil if the node is a part of one that is
// known, or ends none.
func (f *finder) chain(node hclsyntax.Node) *chain {
	if f.seen[node] {
		return nil
	}
	var c *chain
	switch n := node.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		c = &chain{from: n.Traversal, at: n.Traversal.SourceRange()}
		for _, fixed := range n.Traversal[1:] {
			c.steps = append(c.steps, step{fixed: fixed})
		}
	case *hclsyntax.IndexExpr:
		if c = f.chain(n.Collection); c != nil {
			c.steps, c.at = append(c.steps, step{key: n.Key}), n.Range()
		}
	case *hclsyntax.RelativeTraversalExpr:
		if c = f.chain(n.Source); c != nil {
			for _, fixed := range n.Traversal {
				c.steps = append(c.steps, step{fixed: fixed})
			}
		}
	}
	f.seen[node] = c != nil
	return c
}

// task records a reference to tasks.
func (f *finder) task(c *chain) {
	block := f.block(c)
	if block == nil {
		return
	}
	steps := c.steps[2:]
	switch {
	case len(steps) == 0 || block.Invalid:
		f.add(block, nil, c.at)
	case block.Single:
		f.single(block, steps[0], c.at)
	default:
		f.instances(block, steps, c.at)
	}
}

// block finds the block of a chain's first steps.
func (f *finder) block(c *chain) *Block {
	var names []string
	for _, one := range c.steps[:min(2, len(c.steps))] {
		if attr, ok := one.fixed.(hcl.TraverseAttr); ok {
			names = append(names, attr.Name)
		}
	}
	if len(names) < 2 {
		f.Errorf(c.at, "Invalid reference", "Name a task, as in task.file.motd.")
		return nil
	}
	found, near := f.all.Set.Find(f.in, "task", names[0], names[1])
	if found == nil {
		f.Errorf(c.at, "Unknown task", "There is no task.%s.%s.%s", names[0], names[1], near)
	}
	return f.all.blocks[found]
}

// single records a reference to a block with one instance.
func (f *finder) single(block *Block, next step, at hcl.Range) {
	if _, isIndex := next.fixed.(hcl.TraverseIndex); isIndex || next.key != nil {
		f.Errorf(at, "Unexpected key", "%s has neither for_each nor hosts, so there is nothing to choose by a key.", block.Spec.Address())
		return
	}
	f.addOutput(block, nil, next, at)
}

// instances records a reference to one instance of a block, if all keys are known, or
// otherwise to those that it may mean.
func (f *finder) instances(block *Block, steps []step, at hcl.Range) {
	var keys []string
	for _, one := range steps[:min(len(steps), block.Depth)] {
		key, known := f.stepKey(one)
		if !known {
			break
		}
		if !slices.Contains(block.Keys(keys...), key) {
			f.noInstance(block, one, keys, key, at)
			return
		}
		keys = append(keys, key)
	}
	var output step
	if len(steps) > block.Depth {
		output = steps[block.Depth]
	}
	if len(keys) == 0 {
		f.addOutput(block, nil, output, at)
		return
	}
	if len(keys) == block.Depth {
		f.addOutput(block, f.all.Instance(block, keys...), output, at)
		return
	}
	f.found = append(f.found, Reference{Block: block, At: at, Nothing: true}) // the object is there without instances too
	for _, t := range block.Tasks {
		if slices.Equal(t.Keys[:len(keys)], keys) {
			f.addOutput(block, t, output, at)
		}
	}
}

// stepKey returns the key that a step means, if it is known.
func (f *finder) stepKey(one step) (string, bool) {
	if one.key != nil {
		return f.key(one.key)
	}
	return expand.StepKey(one.fixed)
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
		f.Errorf(at, "Unknown output", "The module %q has no outputs. To be done after %s, use depends_on.", b.Kind.Name, b.Spec.Address())
		return
	}
	f.Errorf(at, "Unknown output", "The module %q has no output %q.%s", b.Kind.Name, name, diag.Near(name, slices.Collect(maps.Keys(b.Outputs))))
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
		f.Errorf(n.Range(), "Invalid splat", "%s is an object with the instances by their keys, no list. For all of them write values(%s)[*].", address, address)
	}
}

// noInstance reports a key that no instance with the first keys has.
func (f *finder) noInstance(b *Block, one step, first []string, key string, at hcl.Range) {
	of := b.Spec.Address()
	for _, before := range first {
		of += fmt.Sprintf("[%q]", before)
	}
	if attr, ok := one.fixed.(hcl.TraverseAttr); ok {
		f.Errorf(at, "Missing key", "%s has instances, so choose one, as in %s[each.key].%s.", of, of, attr.Name)
		return
	}
	keys := b.Keys(first...)
	near := diag.Near(key, keys)
	if near == "" {
		near = someKeys(keys)
	}
	f.Errorf(at, "Unknown instance", "%s has no instance %q.%s", of, key, near)
}

// Instance returns the task of a block with some keys, or nil.
func (all *Refs) Instance(b *Block, keys ...string) *Task {
	if made := b.Instance(keys...); made != nil {
		return all.tasks[made.Address]
	}
	return nil
}

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

// addOutput records a reference to an output, or to how the task ended.
func (f *finder) addOutput(b *Block, t *Task, output step, at hcl.Range) {
	if output.fixed == nil {
		f.add(b, t, at)
		return
	}
	name, _ := expand.StepKey(output.fixed)
	if _, own := b.Outputs[name]; own || name != changedName && name != failedName {
		f.output(b, output.fixed)
		f.found = append(f.found, Reference{Block: b, Task: t, At: at, Output: name})
		return
	}
	f.found = append(f.found, Reference{Block: b, Task: t, At: at, Outcome: true, Failed: name == failedName})
}

func (f *finder) add(b *Block, t *Task, at hcl.Range) {
	f.found = append(f.found, Reference{Block: b, Task: t, At: at})
}

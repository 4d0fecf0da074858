// Package expand turns the blocks of a spec into instances: each has a task, a key and a
// host. It does not know what instances refer to.
package expand

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
)

// Namespace is one of the spec's namespaces with the values of its names before the run.
type Namespace struct {
	*spec.Namespace
	Scope   *eval.Scope
	Outputs map[string]*Binding   // of an import, by name
	Made    map[string]*spec.Task // the tasks that make secrets, by the name of the secret
	Secrets map[string]cty.Value  // the ones that no task makes
	Inputs  map[string]*Binding   // variables whose values may need a host or values of tasks
	Locals  map[string]*Binding   // locals of the same kind
	Imports map[string]*Imports   // by label
	Nothing map[string]cty.Value  // the values of task and secret without references; not to be changed
}

// Imports are the namespaces of one import: one, or with for_each one for each key.
type Imports struct {
	Keyed bool
	Keys  []string
	ByKey map[string]*Namespace // an import without for_each has the key ""
}

func (i *Imports) all() []*Namespace {
	return lists.Map(i.Keys, func(key string) *Namespace { return i.ByKey[key] })
}

// Imported returns the namespaces of the import with a label, or only that of a key.
func (s *Namespace) Imported(label, key string, at hcl.Range) ([]*Namespace, diag.List) {
	of := s.Imports[label]
	switch {
	case of == nil:
		return nil, diag.Errorf(&at, "Unknown import", "There is no import.%s.%s", label, diag.NearOrAll(label, slices.Collect(maps.Keys(s.Imports))))
	case key == "":
		return of.all(), nil
	case of.ByKey[key] == nil:
		return nil, noKey(label, key, of, at)
	}
	return []*Namespace{of.ByKey[key]}, nil
}

// Binding is an expression with a name: an output of an import, or an input of it or a local
// that may need a host or values of tasks. A reference to it is a reference to everything it
// refers to.
type Binding struct {
	Namespace *Namespace // of the expression
	Expr      hcl.Expression
	Name      string                                 // in the whole plan, such as import.shop.url or import.shop.var.port
	Give      func(cty.Value) (cty.Value, diag.List) // converts the expression's value to the value of the name

	Cyclic  bool // it needs itself, which was reported
	PerHost bool // it has a value for each host
	late    bool // it needs values of tasks

	inner *Namespace // of an argument of an import: the import
}

// namespaces makes the namespaces of a spec, and the bindings between them.
func namespaces(sp *spec.Spec, scope *eval.Scope) (map[*spec.Namespace]*Namespace, []*Binding, diag.List) {
	all, bindings := map[*spec.Namespace]*Namespace{}, []*Binding(nil)
	var declare func(names *spec.Namespace, scope *eval.Scope) *Namespace
	declare = func(names *spec.Namespace, scope *eval.Scope) *Namespace {
		s := &Namespace{
			Namespace: names, Scope: scope, Made: map[string]*spec.Task{}, Secrets: scope.Secrets(),
			Inputs: map[string]*Binding{}, Locals: map[string]*Binding{}, Outputs: map[string]*Binding{}, Imports: map[string]*Imports{},
		}
		all[names] = s
		s.Nothing = map[string]cty.Value{"task": cty.EmptyObjectVal, "secret": cty.ObjectVal(s.Secrets)}
		for _, declared := range names.Secrets {
			if declared.Task != nil {
				s.Made[declared.Name] = declared.Task
			}
		}
		for _, l := range scope.During() {
			s.Locals[l.Name] = &Binding{Namespace: s, Expr: l.Expr, Name: s.Address("local." + l.Name), Give: as}
			bindings = append(bindings, s.Locals[l.Name])
		}
		scopes := scope.Imports()
		empty := map[string]cty.Value{} // imports of which no output makes import known
		for label, keys := range names.Keys {
			s.Imports[label] = &Imports{Keyed: true, Keys: keys, ByKey: map[string]*Namespace{}}
			if len(keys) == 0 {
				empty[label] = cty.EmptyObjectVal
			}
		}
		if len(empty) > 0 {
			s.Nothing["import"] = cty.ObjectVal(empty)
		}
		for _, inner := range names.Imports {
			made := declare(inner, scopes[inner])
			if s.Imports[inner.Label] == nil {
				s.Imports[inner.Label] = &Imports{Keys: []string{""}, ByKey: map[string]*Namespace{}}
			}
			s.Imports[inner.Label].ByKey[inner.Key] = made
			bindings = append(bindings, s.declareImport(made)...)
		}
		return s
	}
	declare(sp.Root, scope)
	for changed := true; changed; {
		changed = false
		for _, r := range bindings {
			if !r.late && r.Namespace.IsLate(r.Expr) {
				r.late, changed = true, true
			}
			if !r.PerHost && r.Namespace.IsPerHost(r.Expr) {
				r.PerHost, changed = true, true
			}
		}
	}
	return all, bindings, cycles(sp, all, bindings)
}

// cycles finds the bindings that need themselves, and reports one of each cycle: the one that
// a task names first, or else the first one.
func cycles(sp *spec.Spec, in map[*spec.Namespace]*Namespace, bindings []*Binding) (diags diag.List) {
	visited := map[*Binding]bool{}
	var visit func(r *Binding, path []*Binding)
	visit = func(r *Binding, path []*Binding) {
		if i := slices.Index(path, r); i >= 0 {
			at := r.Expr.Range()
			diags = append(diags, diag.Errorf(&at, "Values in a cycle", "The value of %s needs itself.", r.Title())...)
			for _, in := range path[i:] {
				in.Cyclic = true
			}
		}
		if visited[r] {
			return
		}
		visited[r] = true
		for _, need := range r.Namespace.mentioned(r.Expr) {
			visit(need, append(path, r))
		}
	}
	var named []*Binding // first by the expressions that determine instances
	for _, s := range sp.Tasks {
		named = append(named, in[s.In].mentioned(append([]hcl.Expression{s.RunOnce, s.Hosts, s.ForEach, s.Host}, s.Loops...)...)...)
	}
	for _, s := range sp.Tasks {
		named = append(named, in[s.In].mentioned(append(Expressions(s.Args), s.When...)...)...)
	}
	bindings = append(named, bindings...)
	for _, r := range bindings {
		visit(r, nil)
	}
	return diags
}

// declareImport makes the bindings between a namespace and one that it imports.
func (s *Namespace) declareImport(inner *Namespace) []*Binding {
	var all []*Binding
	for _, o := range inner.Namespace.Outputs {
		inner.Outputs[o.Name] = &Binding{Namespace: inner, Expr: o.Value, Name: inner.Path() + "." + o.Name, Give: inner.given(o)}
		all = append(all, inner.Outputs[o.Name])
	}
	for _, c := range inner.Common {
		inner.Inputs[c.Name] = &Binding{Namespace: s, Expr: c.Expr, Name: inner.Address("var." + c.Name), Give: as, inner: inner}
		all = append(all, inner.Inputs[c.Name])
	}
	waiting := inner.Scope.Waiting()
	for _, v := range inner.Variables {
		if w := waiting[v.Name]; w != nil {
			inner.Inputs[v.Name] = &Binding{Namespace: s, Expr: w.Expr, Name: inner.Address("var." + v.Name), Give: w.Value, inner: inner}
			all = append(all, inner.Inputs[v.Name])
		}
	}
	return all
}

// as is the conversion of a name that means the value itself.
func as(value cty.Value) (cty.Value, diag.List) { return value, nil }

// given returns a function that converts an output of an import for its importer.
func (s *Namespace) given(o *spec.Output) func(cty.Value) (cty.Value, diag.List) {
	return func(value cty.Value) (cty.Value, diag.List) {
		if o.Sensitive {
			value = sensitive.Mark(value)
			s.Scope.Mask(value)
		}
		return value, nil
	}
}

// Context returns the scope of expressions in a file outside of a task.
func (s *Namespace) Context(file string) *hcl.EvalContext { return s.Scope.Context(file) }

// Title names the namespace in messages.
func (s *Namespace) Title() string {
	if path := s.Path(); path != "" {
		return path
	}
	return "the playbook"
}

// StepKey returns the key that a step of a traversal selects.
func StepKey(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		return decode.KeyText(step.Key)
	}
	return "", false
}

// Secret returns the task that makes the secret of a traversal, or nil without one, and
// errors of the traversal.
func (s *Namespace) Secret(t hcl.Traversal) (*spec.Task, diag.List) {
	at := t.SourceRange()
	if len(t) < 2 {
		return nil, diag.Errorf(&at, "Invalid reference", "Name a secret, as in secret.password.")
	}
	name, _ := StepKey(t[1])
	if _, ok := s.Secrets[name]; ok || s.Made[name] != nil {
		return s.Made[name], nil
	}
	names := append(slices.Collect(maps.Keys(s.Made)), slices.Collect(maps.Keys(s.Secrets))...)
	return nil, diag.Errorf(&at, "Unknown secret", "There is no secret.%s.%s", name, diag.Near(name, names))
}

// Bindings lists the bindings of a traversal, and reports its errors.
func (s *Namespace) Bindings(t hcl.Traversal) ([]*Binding, diag.List) {
	at, key := t.SourceRange(), ""
	if len(t) > 1 {
		key, _ = StepKey(t[1])
	}
	switch root := t.RootName(); {
	case root == "var" && len(t) < 2:
		return inOrder(s.Inputs), nil
	case root == "var" && s.Inputs[key] != nil:
		return []*Binding{s.Inputs[key]}, nil
	case root == "local" && len(t) < 2:
		return inOrder(s.Locals), nil
	case root == "local" && s.Locals[key] != nil:
		return []*Binding{s.Locals[key]}, nil
	case root != "import":
		return nil, nil
	case len(t) < 2:
		return nil, diag.Errorf(&at, "Invalid reference", "Name an output of an import, as in import.shop.url.")
	}
	return s.imported(key, t[2:], at)
}

// imported lists the bindings of the steps after the label of an import.
func (s *Namespace) imported(label string, steps hcl.Traversal, at hcl.Range) ([]*Binding, diag.List) {
	found, diags := s.Imported(label, "", at)
	if diags.HasErrors() {
		return nil, diags
	}
	of, name := s.Imports[label], "import."+label
	if of.Keyed && len(steps) > 0 {
		key, _ := StepKey(steps[0])
		inner := of.ByKey[key]
		if attr, ok := steps[0].(hcl.TraverseAttr); ok && inner == nil {
			return nil, diag.Errorf(&at, "Missing key", "%s has for_each, so choose one, as in %s[each.key].%s.", name, name, attr.Name)
		}
		if inner == nil {
			return nil, noKey(label, key, of, at)
		}
		return inner.output(fmt.Sprintf("%s[%q]", name, key), steps[1:], at)
	}
	if !of.Keyed {
		return found[0].output(name, steps, at)
	}
	var all []*Binding
	for _, inner := range found {
		all = append(all, inOrder(inner.Outputs)...)
	}
	return all, nil
}

func noKey(label, key string, of *Imports, at hcl.Range) diag.List {
	return diag.Errorf(&at, "Unknown import", "import.%s has no key %q.%s", label, key, diag.Near(key, of.Keys))
}

// output lists the binding of an output that a step names, or all outputs without a step.
func (s *Namespace) output(name string, steps hcl.Traversal, at hcl.Range) ([]*Binding, diag.List) {
	if len(steps) == 0 {
		return inOrder(s.Outputs), nil
	}
	output, _ := StepKey(steps[0])
	if s.Outputs[output] == nil {
		return nil, diag.Errorf(&at, "Unknown output", "%s has no output %q.%s", name, output, diag.Near(output, slices.Collect(maps.Keys(s.Outputs))))
	}
	return []*Binding{s.Outputs[output]}, nil
}

// mentioned lists the bindings in expressions, which may be nil.
func (s *Namespace) mentioned(exprs ...hcl.Expression) (all []*Binding) {
	for _, expr := range exprs {
		if expr == nil {
			continue
		}
		for _, t := range expr.Variables() {
			bindings, _ := s.Bindings(t)
			all = append(all, bindings...)
		}
	}
	return all
}

// Expressions lists all expressions of a body.
func Expressions(body *hclsyntax.Body) []hcl.Expression {
	var all []hcl.Expression
	for _, attr := range body.Attributes {
		all = append(all, attr.Expr)
	}
	for _, inner := range body.Blocks {
		all = append(all, Expressions(inner.Body)...)
	}
	return all
}

func inOrder(bindings map[string]*Binding) []*Binding {
	return lists.Map(slices.Sorted(maps.Keys(bindings)), func(name string) *Binding { return bindings[name] })
}

// NeedsTask reports whether a traversal refers to a task, a secret that one makes, or a
// binding that needs one.
func (s *Namespace) NeedsTask(t hcl.Traversal) bool {
	root := t.RootName()
	if root == "task" || len(t) < 2 {
		return root == "task"
	}
	if root == "secret" {
		name, _ := StepKey(t[1])
		return s.Made[name] != nil
	}
	bindings, _ := s.Bindings(t)
	return slices.ContainsFunc(bindings, func(r *Binding) bool { return r.late })
}

// IsLate reports whether an expression needs the values of tasks.
func (s *Namespace) IsLate(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), s.NeedsTask)
}

// IsPerHost reports whether an expression has a value for each host.
func (s *Namespace) IsPerHost(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool { return t.RootName() == hostName || s.needsHost(t) })
}

// needsHost reports whether a traversal refers to a binding with a value for each host.
func (s *Namespace) needsHost(t hcl.Traversal) bool {
	bindings, _ := s.Bindings(t)
	return slices.ContainsFunc(bindings, func(r *Binding) bool { return r.PerHost })
}

// Differs reports whether an expression may have another value in another instance of a
// block.
func (s *Namespace) Differs(expr hcl.Expression) bool {
	return decode.Differs(expr) || slices.ContainsFunc(expr.Variables(), s.needsHost)
}

// hostName is the name of the host that a task works on, in expressions.
const hostName = "host"

// lookUp returns the value of a name in a scope, or cty.NilVal without one.
func lookUp(ctx *hcl.EvalContext, name string) cty.Value {
	for ; ctx != nil; ctx = ctx.Parent() {
		if value, ok := ctx.Variables[name]; ok {
			return value
		}
	}
	return cty.NilVal
}

// Title names the binding in messages: by its name, or as an argument of an import.
func (r *Binding) Title() string {
	path, argument, ok := strings.Cut(r.Name, ".var.(")
	if !ok {
		return r.Name
	}
	argument, _, _ = strings.Cut(strings.TrimSuffix(argument, ")"), " ")
	return argument + " of " + path
}

// NoHost reports a reference to a binding with a value for each host, where no host is meant.
func (r *Binding) NoHost(at hcl.Range) diag.List {
	return diag.Errorf(&at, "No host here", "%s (%s) has a value for each host, because it refers to host, and here no host is meant. In a task it is the value on the task's host; for all hosts, write an expression such as { for name in run.hosts : name => … }.",
		r.Title(), r.Expr.Range())
}

// Known adds to a scope the bindings that an expression mentions, none of which needs
// tasks.
func (s *Namespace) Known(expr hcl.Expression, ctx *hcl.EvalContext) (*hcl.EvalContext, diag.List) {
	given, host := Given{}, lookUp(ctx, hostName)
	var diags diag.List
	mentions := false
	for _, t := range expr.Variables() {
		var bindings []*Binding
		var more diag.List
		if t.RootName() == "secret" {
			_, more = s.Secret(t)
		} else {
			bindings, more = s.Bindings(t)
		}
		diags = append(diags, more...)
		mentions = mentions || t.RootName() == "import" || len(t) > 1 && len(bindings) > 0
		for _, r := range bindings {
			if r.PerHost && host == cty.NilVal {
				diags = append(diags, r.NoHost(t.SourceRange())...)
				continue
			}
			value, more := r.known(host)
			diags = append(diags, more...)
			given[r] = value
		}
	}
	if !mentions {
		return ctx, nil
	}
	if diags.HasErrors() {
		return ctx, diags
	}
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{}
	s.Give(inner.Variables, given)
	return inner, nil
}

// Given holds the values of bindings.
type Given map[*Binding]cty.Value

// of returns the values of those of some bindings that have one, by name.
func (g Given) of(names map[string]*Binding) map[string]cty.Value {
	found := map[string]cty.Value{}
	for name, binding := range names {
		if value, ok := g[binding]; ok {
			found[name] = value
		}
	}
	return found
}

// Give sets var, local and import from the values of bindings.
func (s *Namespace) Give(variables map[string]cty.Value, given Given) {
	vars := s.Scope.Variables()
	maps.Copy(vars, given.of(s.Inputs))
	variables["var"] = cty.ObjectVal(vars)
	if during := given.of(s.Locals); len(during) > 0 {
		locals := s.Scope.Locals()
		maps.Copy(locals, during)
		variables["local"] = cty.ObjectVal(locals)
	}
	imports := map[string]cty.Value{}
	for label, of := range s.Imports {
		values := map[string]cty.Value{}
		for key, inner := range of.ByKey {
			values[key] = cty.ObjectVal(given.of(inner.Outputs))
		}
		if imports[label] = cty.ObjectVal(values); !of.Keyed {
			imports[label] = values[""]
		}
	}
	variables["import"] = cty.ObjectVal(imports)
}

// known evaluates a binding that needs no task. Its host may be cty.NilVal.
func (r *Binding) known(host cty.Value) (cty.Value, diag.List) {
	if r.Cyclic {
		return cty.DynamicVal, nil
	}
	outer := r.Context(host).NewChild()
	outer.Variables = r.Namespace.Nothing
	ctx, diags := r.Namespace.Known(r.Expr, outer)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	value, problems := bounds.Value(r.Expr, ctx)
	if problems.HasErrors() {
		return cty.DynamicVal, diag.FromHCL(problems)
	}
	value, _ = r.Give(value)
	return value, nil
}

// Context returns the scope of the binding's expression on a host, which may be cty.NilVal.
func (r *Binding) Context(host cty.Value) *hcl.EvalContext {
	ctx := r.Namespace.Context(r.Expr.Range().Filename)
	if r.inner != nil {
		ctx = r.inner.Scope.Outside(r.Expr.Range().Filename)
	}
	if !r.PerHost || host == cty.NilVal {
		return ctx
	}
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{hostName: host}
	return inner
}

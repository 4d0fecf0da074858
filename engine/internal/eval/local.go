package eval

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/graph"
	"kinit/engine/internal/spec"
)

// sortLocals puts locals in an order in which each comes after those it refers to, and
// separates those that need the cluster, and those that are evaluated during the run: they
// need a host or values of tasks.
func (s *Scope) sortLocals() (early, late []*spec.Local, diags diag.List) {
	byName := map[string]*spec.Local{}
	for _, l := range s.names.Locals {
		byName[l.Name] = l
	}
	needsCluster, wrong, during := map[string]bool{}, map[string]bool{}, map[string]bool{}
	order := &graph.Graph[string]{}
	for _, l := range s.names.Locals {
		order.Add(l.Name)
		names, cluster, more := s.references(l, byName)
		diags = append(diags, more...)
		wrong[l.Name] = more.HasErrors()
		needsCluster[l.Name] = cluster
		during[l.Name] = s.needsRun(l.Expr)
		for _, name := range names {
			order.Connect(l.Name, name)
		}
	}
	if more := localCycles(order, byName); more.HasErrors() {
		for name := range byName {
			s.locals[name] = cty.DynamicVal
		}
		return nil, nil, append(diags, more...)
	}
	for _, name := range order.Order() {
		for _, need := range order.Needs(name) {
			needsCluster[name] = needsCluster[name] || needsCluster[need]
			during[name] = during[name] || during[need]
		}
		switch {
		case wrong[name]: // remains unknown, so that its mistake is reported once
			s.locals[name] = cty.DynamicVal
		case during[name]:
			s.locals[name] = cty.DynamicVal
			s.during = append(s.during, byName[name])
		case needsCluster[name]:
			late = append(late, byName[name])
		default:
			early = append(early, byName[name])
		}
	}
	return early, late, diags
}

// references lists the locals that a local refers to, and whether it refers to
// the cluster.
func (s *Scope) references(l *spec.Local, byName map[string]*spec.Local) (names []string, cluster bool, diags diag.List) {
	for _, t := range l.Expr.Variables() {
		at := t.SourceRange()
		switch root := t.RootName(); root {
		case "cluster":
			cluster = true
		case "each":
			diags = append(diags, diag.Errorf(&at, "Invalid reference",
				"A local has a value for the playbook or for each host, not for each instance of a task, so it cannot refer to each. Write the expression in the task.")...)
		case "local":
			name, ok := secondName(t)
			if !ok {
				diags = append(diags, diag.Errorf(&at, "Invalid reference", "Name a local, as in local.port.")...)
				continue
			}
			if byName[name] == nil {
				diags = append(diags, diag.Errorf(&at, "Unknown local", "There is no local %q.%s", name, diag.Near(name, slices.Collect(maps.Keys(byName))))...)
				continue
			}
			names = append(names, name)
		}
	}
	return names, cluster, diags
}

// needsRun reports whether an expression has its value for a host or during the run: it
// refers to a host, or needs values of tasks.
func (s *Scope) needsRun(expr hcl.Expression) bool {
	return s.needsTask(expr) || slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool { return t.RootName() == "host" })
}

// needsTask reports whether an expression needs values of tasks, or outputs of imports,
// which may need them.
func (s *Scope) needsTask(expr hcl.Expression) bool {
	for _, t := range expr.Variables() {
		name, _ := secondName(t)
		switch t.RootName() {
		case "task", "import":
			return true
		case "secret":
			if s.isMade(name) {
				return true
			}
		case "var":
			if s.waiting[name] != nil {
				return true
			}
		case "local":
			if slices.ContainsFunc(s.during, func(l *spec.Local) bool { return l.Name == name }) {
				return true
			}
		}
	}
	return false
}

func secondName(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	attr, ok := t[1].(hcl.TraverseAttr)
	return attr.Name, ok
}

func localCycles(order *graph.Graph[string], byName map[string]*spec.Local) diag.List {
	cycles, ok := errors.AsType[*graph.CycleError[string]](order.Validate())
	if !ok {
		return nil
	}
	var diags diag.List
	for _, cycle := range cycles.Cycles {
		text := "local." + strings.Join(append(cycle, cycle[0]), " → local.")
		diags = append(diags, diag.Errorf(&byName[cycle[0]].Range, "Locals in a cycle", "Each of these locals refers to the next one: %s. Write the value of one of them without the others.", text)...)
	}
	return diags
}

// setLocals evaluates locals in order. A failing local is unknown.
func (s *Scope) setLocals(locals []*spec.Local) diag.List {
	var diags diag.List
	folders := map[string]*hcl.EvalContext{}
	for _, l := range locals {
		folder := spec.Folder(l.Range.Filename)
		ctx := folders[folder]
		if ctx == nil {
			ctx = s.base(folder)
			folders[folder] = ctx
		}
		ctx.Variables["local"] = cty.ObjectVal(s.needed(l))
		value, problems := bounds.Value(l.Expr, ctx)
		diags = append(diags, diag.FromHCL(problems)...)
		if problems.HasErrors() {
			value = cty.DynamicVal
		}
		s.locals[l.Name] = value
	}
	s.forget()
	return diags
}

// needed returns the locals that a local refers to, with their values so far.
func (s *Scope) needed(l *spec.Local) map[string]cty.Value {
	values := map[string]cty.Value{}
	for _, t := range l.Expr.Variables() {
		name, ok := secondName(t)
		if !ok || t.RootName() != "local" {
			continue
		}
		value, ok := s.locals[name]
		if !ok {
			value = cty.DynamicVal
		}
		values[name] = value
	}
	return values
}

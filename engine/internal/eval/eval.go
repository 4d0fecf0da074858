// Package eval evaluates expressions: variables, locals, functions and everything else that
// is known before a task runs.
package eval

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
)

// New evaluates variables and the locals that need no cluster. A variable without a valid
// value is unknown, so that one mistake is reported once.
func New(in Input) (*Scope, diag.List) {
	in.tables = &tables{all: map[string]map[string]function.Function{}}
	s := &Scope{in: in, names: in.Spec.Root, cluster: cty.DynamicVal}
	return s, s.begin()
}

func (s *Scope) begin() diag.List {
	s.vars, s.locals, s.waiting, s.during = map[string]cty.Value{}, map[string]cty.Value{}, map[string]*Waiting{}, nil
	diags := s.setVariables()
	diags = append(diags, s.setSecrets()...)
	early, late, more := s.sortLocals()
	diags = append(diags, more...)
	for _, l := range late {
		s.locals[l.Name] = cty.DynamicVal
	}
	s.late = late
	diags = append(diags, s.setLocals(early)...)
	diags.Sort()
	return diags
}

// SetCluster sets the cluster (cty.NilVal without one), evaluates the remaining locals, and
// then the variables and locals of imports with labels. Call it once, on the root's scope,
// before plan.Build.
func (s *Scope) SetCluster(cluster cty.Value) diag.List {
	s.cluster = cluster
	s.forget()
	diags := s.setLocals(s.late)
	for _, names := range slices.Clone(s.names.Imports) {
		scopes, more := s.scopes(names)
		diags = append(diags, more...)
		s.torn = s.torn || more.HasErrors()
		for _, inner := range scopes {
			s.inner = append(s.inner, inner)
			diags = append(diags, inner.begin()...)
			diags = append(diags, inner.SetCluster(cluster)...)
			s.torn = s.torn || inner.torn
		}
	}
	diags = diags.Distinct()
	diags.Sort()
	return diags
}

// Whole reports, after SetCluster, whether all imports have their scopes: those with wrong elements
// have none.
func (s *Scope) Whole() bool { return !s.torn }

// scopes makes the scope of an import: with for_each one for each element.
func (s *Scope) scopes(names *spec.Namespace) ([]*Scope, diag.List) {
	if names.ForEach == nil {
		return []*Scope{{in: s.in, names: names, outer: s, cluster: s.cluster}}, nil
	}
	elements, diags := s.elements(names.ForEach)
	var all []*Scope
	keys := lists.Map(elements, func(e Element) string { return e.Key })
	for i, one := range s.in.Spec.Multiply(names, keys) {
		all = append(all, &Scope{in: s.in, names: one, outer: s, cluster: s.cluster, each: elements[i].Each(cty.NilVal)})
	}
	return all, diags
}

func (s *Scope) elements(expr hcl.Expression) ([]Element, diag.List) {
	at := expr.Range()
	if s.needsRun(expr) {
		return nil, diag.Errorf(&at, "Not known before the run", "for_each of an import must be known before any task runs, so it cannot refer to a host, to values of tasks or to outputs of imports.%s", WayOut("for_each"))
	}
	value, problems := bounds.Value(expr, s.Context(at.Filename))
	if problems.HasErrors() {
		return nil, diag.FromHCL(problems)
	}
	if !value.IsWhollyKnown() {
		return nil, nil // because of a mistake that is reported
	}
	return Elements(value, at)
}

// Package eval evaluates expressions: variables, locals, functions and everything else that
// is known before a task runs.
//
// Its files, each of which uses those before it alone: text.go, collection.go, cidr.go,
// uniform.go, marks.go, files.go, functions.go, sensitive.go, declared.go, scope.go, secret.go,
// local.go, given.go, variable.go, eval.go.
package eval

import (
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// New evaluates variables and the locals that need no cluster. A variable without a valid
// value is unknown, so that one mistake is reported once.
func New(in Input) (*Scope, diag.List) {
	s := &Scope{in: in, names: in.Spec.Root, cluster: cty.DynamicVal}
	return s, s.begin()
}

// begin evaluates variables and the locals that need no cluster.
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
	for _, names := range s.names.Imports {
		inner := &Scope{in: s.in, names: names, outer: s, cluster: cluster}
		s.inner = append(s.inner, inner)
		diags = append(diags, inner.begin()...)
		diags = append(diags, inner.SetCluster(cluster)...)
	}
	diags = diags.Distinct()
	diags.Sort()
	return diags
}

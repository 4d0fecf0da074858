package spec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// give prepares the arguments that an import gives to its tasks. They are expressions in the
// importer's names, so the tasks get references to names that stand for them.
func (n *Namespace) give(common *Task) *Task {
	if common == nil {
		return nil
	}
	bind := func(name string, expr hcl.Expression) hcl.Expression {
		if expr == nil {
			return nil
		}
		name = "(" + name + ")"
		n.Common = append(n.Common, Common{Name: name, Expr: expr})
		return varNamed(name, expr.Range())
	}
	all := func(name string, exprs []hcl.Expression) (bound []hcl.Expression) {
		for i, expr := range exprs {
			bound = append(bound, bind(fmt.Sprintf("%s %d", name, i+1), expr))
		}
		return bound
	}
	inner := &Task{
		Stage: common.Stage, stageRange: common.stageRange,
		Host: bind("host", common.Host), Hosts: bind("hosts", common.Hosts), When: all("when", common.When),
		Tags: common.Tags, Timeout: bind("timeout", common.Timeout), Throttle: bind("throttle", common.Throttle), Environment: all("environment", common.Environment), Cwd: bind("cwd", common.Cwd),
	}
	if b := common.Become; b != nil {
		inner.Become = &Become{Value: bind("become", b.Value), User: bind("become user", b.User), Method: bind("become method", b.Method), Range: b.Range}
	}
	n.DependsOn = common.DependsOn
	return inner
}

// varNamed is the expression var.NAME, with the place of what it stands for.
func varNamed(name string, at hcl.Range) hcl.Expression {
	return &hclsyntax.ScopeTraversalExpr{
		Traversal: hcl.Traversal{hcl.TraverseRoot{Name: "var", SrcRange: at}, hcl.TraverseAttr{Name: name, SrcRange: at}}, SrcRange: at,
	}
}

// Origin returns the expression that an argument of a task stands for: the argument itself, or
// that of an import or block around it, which may be in the names of an importer.
func (n *Namespace) Origin(expr hcl.Expression) hcl.Expression {
	for ; n != nil; n = n.Parent {
		at := slices.IndexFunc(n.Common, func(c Common) bool { return c.isMeant(expr) })
		if at < 0 {
			return expr
		}
		expr = n.Common[at].Expr
	}
	return expr
}

// isMeant reports whether an expression is the reference that stands for the argument.
func (c Common) isMeant(expr hcl.Expression) bool {
	t, ok := expr.(*hclsyntax.ScopeTraversalExpr)
	if !ok || len(t.Traversal) != 2 || t.Traversal.RootName() != "var" {
		return false
	}
	name, ok := t.Traversal[1].(hcl.TraverseAttr)
	return ok && name.Name == c.Name
}

// inherit sets what the task does not set from the block around it. Conditions and
// dependencies of both apply.
func (t *Task) inherit(common *Task) {
	t.Stage, t.stageRange = common.Stage, common.stageRange
	t.InsteadOfHosts = t.Host != nil && common.Hosts != nil || t.Host == nil && t.Hosts == nil && common.InsteadOfHosts
	if t.Hosts == nil {
		t.Host = orElse(t.Host, common.Host)
	}
	if t.Host == nil {
		t.Hosts = cmp.Or(t.Hosts, common.Hosts)
	}
	t.When = slices.Concat(common.When, t.When)
	t.Loops = slices.Concat(common.Loops, t.Loops)
	t.DependsOn = slices.Concat(common.DependsOn, t.DependsOn)
	t.Environment = slices.Concat(common.Environment, t.Environment)
	t.Tags = union(common.Tags, t.Tags)
	t.limits(common)
}

// limits sets what both tasks and handlers have from the block or import around them.
func (t *Task) limits(common *Task) {
	t.Throttle, t.Timeout, t.Cwd = orElse(t.Throttle, common.Throttle), orElse(t.Timeout, common.Timeout), orElse(t.Cwd, common.Cwd)
	t.Become = cmp.Or(t.Become, common.Become)
}

// orElse is an expression, or another one where the first is missing or null.
func orElse(first, other hcl.Expression) hcl.Expression {
	one, ok := first.(hclsyntax.Expression)
	two, also := other.(hclsyntax.Expression)
	switch {
	case !ok:
		return other
	case !also || len(first.Variables()) == 0:
		return first
	}
	at := first.Range()
	null := &hclsyntax.LiteralValueExpr{Val: cty.NullVal(cty.DynamicPseudoType), SrcRange: at}
	return &hclsyntax.ConditionalExpr{
		Condition:  &hclsyntax.BinaryOpExpr{LHS: one, Op: hclsyntax.OpEqual, RHS: null, SrcRange: at},
		TrueResult: two, FalseResult: one, SrcRange: at,
	}
}

// receive gives a task of an import what the import gives to its tasks. A handler is done
// where and when it is notified, so it gets no hosts and no conditions.
func (l *loader) receive(t *Task) {
	common := l.in.common
	switch {
	case common == nil:
		return
	case t.Handler:
		t.limits(common)
		t.Environment = slices.Concat(common.Environment, t.Environment)
		return
	case common.Stage != "" && t.Stage != "" && t.Stage != common.Stage:
		l.Errorf(t.stageRange, "Conflicting arguments", "The block around %s gives its tasks the stage %q (%s), so they cannot have another one.", l.in.Path(), common.Stage, common.stageRange)
	}
	stage, at := t.Stage, t.stageRange
	t.inherit(common)
	if stage != "" {
		t.Stage, t.stageRange = stage, at
	}
}

package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// Waiting is a variable of an import that needs values of tasks, so that it is known only
// during a run.
type Waiting struct {
	Expr hcl.Expression // the importer's

	scope    *Scope
	variable *declared
}

// Waiting returns these variables by name.
func (s *Scope) Waiting() map[string]*Waiting { return s.waiting }

// wait records a variable that is known only during a run.
func (s *Scope) wait(v *declared, expr hcl.Expression) diag.List {
	s.waiting[v.Name] = &Waiting{Expr: expr, scope: s, variable: v}
	if len(v.Validations) == 0 {
		return nil
	}
	at := expr.Range()
	return diag.Errorf(&at, "Not known before the run", "The variable %q has a validation (%s), which is made before any task runs, so its value cannot refer to those of tasks.",
		v.Name, v.Validations[0].Range)
}

// Value returns the variable's value for a value of its expression: converted to its type,
// and masked if it is sensitive.
func (w *Waiting) Value(value cty.Value) (cty.Value, diag.List) {
	at := w.Expr.Range()
	value, diags := w.scope.typed(w.variable, value, "the import", &at)
	if w.variable.Sensitive {
		diags = append(diags, w.scope.tooShort("var."+w.variable.Name, at, value)...)
		value = w.scope.sensitive(value)
	}
	return value, diags
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
		}
	}
	return false
}

package eval

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
)

// Record is the value of the record blocks of a spec.
type Record struct {
	Fixed   map[string]string // without those that are null
	Removes bool
}

// Record evaluates the record blocks. They are needed to expand the cluster, of which they may use what is known
// before. Call it before SetCluster.
func (s *Scope) Record(before cty.Value) (Record, diag.List) {
	early := &Scope{
		in: s.in, names: s.names, outer: s.outer, waiting: s.waiting, vars: s.vars, locals: maps.Clone(s.locals), secrets: s.secrets,
		late: s.late, during: s.during, cluster: before, each: s.each,
	}
	_ = early.setLocals(early.late) // SetCluster reports their mistakes
	r := Record{Fixed: map[string]string{}}
	var diags diag.List
	for _, block := range s.in.Spec.Records {
		for _, name := range slices.Sorted(maps.Keys(block.Fixed)) {
			value, more := early.beforehand(block.Fixed[name], cty.String, "A fixed value is text, or null.")
			if diags = append(diags, more...); !value.IsNull() && !more.HasErrors() {
				r.Fixed[name] = value.AsString()
			}
		}
		if block.Removes == nil {
			continue
		}
		value, more := early.beforehand(block.Removes, cty.Bool, "removes is true or false.")
		if diags = append(diags, more...); !value.IsNull() && !more.HasErrors() {
			r.Removes = value.True()
		}
	}
	return r, diags
}

// beforehand evaluates an expression whose value is needed before the cluster is expanded.
func (s *Scope) beforehand(expr hcl.Expression, kind cty.Type, rule string) (cty.Value, diag.List) {
	none := cty.NullVal(kind)
	at := expr.Range()
	if s.needsRun(expr) {
		return none, diag.Errorf(&at, "Not known before the run", "What the record keeps must be known before any task runs, so it cannot refer to a host, to values of tasks or to outputs of imports.")
	}
	value, problems := bounds.Value(expr, s.Context(at.Filename))
	if problems.HasErrors() {
		return none, diag.FromHCL(problems)
	}
	if sensitive.Is(value) {
		return none, diag.Errorf(&at, "Secret in the record", "All hypervisors keep the record, and errors show it, so it cannot have a secret in it.")
	}
	if !value.IsWhollyKnown() {
		return none, diag.Errorf(&at, "Not known before the cluster", "What the record keeps must be known before nodes have places: of the cluster it can refer to name, domain and vars.")
	}
	value, err := convert.Convert(value, kind)
	if err != nil {
		return none, diag.Errorf(&at, "Wrong type", "%s", rule)
	}
	return value, nil
}

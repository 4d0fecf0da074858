package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
	"kinit/engine/secret"
)

// Scope evaluates expressions as a playbook's files see them before a run.
type Scope struct {
	context  *hcl.EvalContext
	redactor *secret.Redactor
}

// Open loads a spec to evaluate expressions with its variables, locals, cluster, hosts and
// functions. It does not contact
// hosts, so the cluster is a new one. The scope is nil when the report is invalid.
func Open(ctx context.Context, o Options) (*Scope, *Report) {
	o.Offline = true
	p, report := makePlan(ctx, o, modeStatus, newIdentity(o))
	p.close()
	if p.plan == nil {
		return nil, report
	}
	file := spec.Join(p.spec.Playbook, "input")
	return &Scope{context: p.scope.Context(file), redactor: p.options.Redactor}, report
}

// InputName is the file name in the ranges of an evaluated text.
const InputName = "<input>"

// Eval evaluates an expression. It returns its value in HCL, secrets masked.
func (s *Scope) Eval(text string) (string, diag.List) {
	value, diags := s.value(text)
	if diags.HasErrors() {
		return "", diags
	}
	if !value.IsWhollyKnown() {
		return "(known only in a run)", diags
	}
	if sensitive.Itself(value) {
		return Hidden, diags
	}
	value = sensitive.Masked(value)
	tokens := hclwrite.Format(hclwrite.TokensForValue(value).Bytes())
	return s.redactor.Redact(string(tokens)), diags
}

// Type evaluates an expression and returns the type of its value.
func (s *Scope) Type(text string) (string, diag.List) {
	value, diags := s.value(text)
	if diags.HasErrors() {
		return "", diags
	}
	return typeexpr.TypeString(value.Type()), diags
}

func (s *Scope) value(text string) (cty.Value, diag.List) {
	expr, problems := hclsyntax.ParseExpression([]byte(text), InputName, hcl.InitialPos)
	if problems.HasErrors() {
		return cty.NilVal, diag.FromHCL(problems)
	}
	bounds.Limit(expr)
	for _, t := range expr.Variables() {
		if name := t.RootName(); slices.Contains([]string{"task", "each", "host", "import"}, name) {
			return cty.NilVal, diag.Errorf(new(t.SourceRange()), "Not known here", "%s has a value only in a task, when it runs.", name)
		}
	}
	value, problems := expr.Value(s.context)
	return value, diag.FromHCL(problems)
}

// Names lists completions for the last word of a text: values, functions (with their
// parenthesis), and the members of an object or map. They are sorted and begin with the
// word.
func (s *Scope) Names(word string) []string {
	at := strings.LastIndexByte(word, '.')
	if at < 0 {
		return beginning(word, s.roots())
	}
	traversal, problems := hclsyntax.ParseTraversalAbs([]byte(word[:at]), InputName, hcl.InitialPos)
	if problems.HasErrors() {
		return nil
	}
	value, problems := traversal.TraverseAbs(s.context)
	if problems.HasErrors() {
		return nil
	}
	return beginning(word, lists.Map(attributes(value), func(name string) string { return word[:at+1] + name }))
}

func (s *Scope) roots() []string {
	names := slices.Collect(maps.Keys(s.context.Variables))
	for name := range s.context.Functions {
		names = append(names, name+"(")
	}
	slices.Sort(names)
	return names
}

// attributes lists the members of a value that can follow a dot.
func attributes(value cty.Value) []string {
	if !value.IsKnown() || value.IsNull() || sensitive.Itself(value) && value.Type().IsMapType() {
		return nil
	}
	var names []string
	switch kind := value.Type(); {
	case kind.IsObjectType():
		names = slices.Sorted(maps.Keys(kind.AttributeTypes()))
	case kind.IsMapType():
		names = slices.Sorted(maps.Keys(value.AsValueMap()))
	}
	return slices.DeleteFunc(names, func(name string) bool { return !hclsyntax.ValidIdentifier(name) })
}

func beginning(word string, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, word) })
}

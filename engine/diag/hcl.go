package diag

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/lists"
)

// FromHCL translates HCL's own diagnostics. For a name that an object does not have, it
// adds similar names.
func FromHCL(in hcl.Diagnostics) List {
	var out List
	for _, d := range in {
		one := Diagnostic{
			Warning: d.Severity == hcl.DiagWarning,
			Summary: d.Summary, Detail: strings.ReplaceAll(d.Detail, "?.", "?"),
			Subject: d.Subject, Context: d.Context,
		}
		if e, ok := d.Expression.(*hclsyntax.ScopeTraversalExpr); ok && d.EvalContext != nil {
			one = unknownName(one, e.Traversal, d.EvalContext)
		}
		if extra, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallUnknownDiagExtra](d); ok && d.EvalContext != nil {
			one = unknownFunction(one, extra.CalledFunctionName(), d.EvalContext)
		}
		if d.Summary == "Invalid template directive" || d.Summary == "Invalid template control keyword" {
			one.Detail += " A %{ of another program, as in curl's %{http_code}, is written %%{."
		}
		if showsValues(d) && readsMarked(d) {
			one.Detail = "A sensitive value is the reason, so it is not shown."
		}
		out = append(out, one)
	}
	return out
}

// FromParser translates HCL's errors of a text that it cannot read, but only the first one.
// Later ones in the same text are mostly consequences.
func FromParser(in hcl.Diagnostics) List {
	for i, d := range in {
		if d.Severity == hcl.DiagError {
			return FromHCL(in[:i+1])
		}
	}
	return FromHCL(in)
}

// unknownFunction rewrites a diagnostic about a function that there is not.
func unknownFunction(d Diagnostic, name string, ctx *hcl.EvalContext) Diagnostic {
	var names []string
	for ; ctx != nil; ctx = ctx.Parent() {
		names = slices.AppendSeq(names, maps.Keys(ctx.Functions))
	}
	d.Summary = "Unknown function"
	d.Detail = fmt.Sprintf("There is no function %q.%s", name, cmp.Or(Near(name, names), " docs/functions.md has all there are."))
	return d
}

// unknownName rewrites a diagnostic about a traversal when the reason is a name
// that an object does not have.
func unknownName(d Diagnostic, t hcl.Traversal, ctx *hcl.EvalContext) Diagnostic {
	value, ok := lookup(t.RootName(), ctx)
	path := t.RootName()
	if !ok {
		return unknownRoot(d, path, ctx)
	}
	for _, step := range t[1:] {
		name, isName := nameOf(step)
		if !isName || !value.Type().IsObjectType() {
			return d
		}
		types := value.Type().AttributeTypes()
		if now := renamed[path+"."+name]; now != "" {
			d.Summary, d.Detail = "Unknown name", fmt.Sprintf("%s.%s is called %s now.", path, name, now)
			return d
		}
		if _, found := types[name]; !found {
			d.Summary = "Unknown name"
			d.Detail = fmt.Sprintf("There is no %q in %s.%s", name, path, cmp.Or(NearOrAll(name, slices.Collect(maps.Keys(types))), declare(path, name)))
			return d
		}
		if !value.IsKnown() || value.IsNull() {
			return d
		}
		value, path = value.GetAttr(name), path+"."+name
	}
	return d
}

// declare returns the hint that shows how to declare a value of a kind that has none yet.
func declare(path, name string) string {
	switch path {
	case "var":
		return fmt.Sprintf(" Declare it, as in: variable %q { default = … }", name)
	case "local":
		return " Declare it, as in: locals { " + name + " = … }"
	}
	return ""
}

// nameOf is the name that a step of a traversal chooses.
func nameOf(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// unknownRoot rewrites a diagnostic about the first name of a traversal.
func unknownRoot(d Diagnostic, name string, ctx *hcl.EvalContext) Diagnostic {
	var names []string
	for ; ctx != nil; ctx = ctx.Parent() {
		names = slices.AppendSeq(names, maps.Keys(ctx.Variables))
	}
	d.Summary = "Unknown name"
	d.Detail = fmt.Sprintf("There is no %q here.", name)
	if where := elsewhere[name]; where != "" {
		d.Detail += " " + where
		return d
	}
	if shellVariable.MatchString(name) {
		d.Detail += fmt.Sprintf(" A variable of a shell is written $${%s} in a text, or $%s.", name, name)
		return d
	}
	d.Detail += NearOrAll(name, names)
	return d
}

// renamed maps names that earlier versions had to those of this version.
var renamed = map[string]string{"run.look": "run.inspect"}

// shellVariable matches names as environment variables have them, and no name of a playbook.
var shellVariable = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// elsewhere maps names that are not known everywhere to where they are known.
var elsewhere = map[string]string{
	"each":    "It is known in blocks with for_each or hosts.",
	"host":    "It is known in tasks and handlers.",
	"result":  "It is known in until, changed_when and failed_when of a task.",
	"handler": "Handlers are named by notify, and by depends_on of handlers.",
	"block":   "Blocks are named by depends_on.",
	"import":  "Outputs of imports are known in tasks, handlers, checks, outputs and inputs of imports.",
	"cluster": "The spec has no block of this name.",
}

// NearOrAll offers the names most like a mistyped one, or lists all names.
func NearOrAll(given string, names []string) string {
	if near := Near(given, names); near != "" || len(names) == 0 {
		return near
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 1 {
		return " There is only " + names[0] + "."
	}
	return " There are " + Listed(names) + "."
}

// Listed returns names as a part of a sentence. Of many names it has only the first ones.
func Listed(names []string) string {
	if more := len(names) - listed; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listed], ", "), more)
	}
	return lists.And(names)
}

// listed is how many names an error lists at most.
const listed = 10

// lookup finds a variable in a scope or the scopes around it.
func lookup(name string, ctx *hcl.EvalContext) (cty.Value, bool) {
	for ; ctx != nil; ctx = ctx.Parent() {
		if value, ok := ctx.Variables[name]; ok {
			return value, true
		}
	}
	return cty.NilVal, false
}

// showsValues reports whether the detail of a diagnostic may quote values: it is the
// error of a function, or names a key.
func showsValues(d *hcl.Diagnostic) bool {
	_, isCall := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	_, isUnknown := hcl.DiagnosticExtra[hclsyntax.FunctionCallUnknownDiagExtra](d)
	return isCall && !isUnknown || d.Summary == "Duplicate object key"
}

// readsMarked reports whether a diagnostic's expression reads a marked value, which is
// not to be quoted.
func readsMarked(d *hcl.Diagnostic) bool {
	if d.Expression == nil || d.EvalContext == nil {
		return false
	}
	if value, problems := d.Expression.Value(d.EvalContext); !problems.HasErrors() && value.ContainsMarked() {
		return true
	}
	for _, t := range d.Expression.Variables() {
		value, problems := t.TraverseAbs(d.EvalContext)
		if !problems.HasErrors() && value.ContainsMarked() {
			return true
		}
	}
	return false
}

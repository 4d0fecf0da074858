package eval

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/spec"
)

// envPrefix starts the names of environment variables that set variables.
const envPrefix = "KINIT_VAR_"

// given is a value from outside of the playbook.
type given struct {
	where string     // such as "--var"
	at    *hcl.Range // where it is written in a file, or nil
	known cty.Value  // the value, or cty.NilVal if it is a text to parse
	text  string
}

// given collects the values of variables, the highest priority last: imports, spec,
// inventory, environment, files, command line. Imports with a label get values only from
// imports.
func (s *Scope) given(variables map[string]*declared) (map[string]*given, diag.List) {
	all := map[string]*given{}
	diags := s.fromExpressions(all, variables, "an import", s.names.Inputs)
	if s.outer != nil {
		return all, append(diags, s.fromImporter(all, variables)...)
	}
	diags = append(diags, s.fromExpressions(all, variables, "the spec", s.names.Vars)...)
	for name, value := range s.in.Inventory {
		g := &given{where: "the inventory", known: value}
		if at, ok := s.in.Places[name]; ok && at.Filename != "" {
			g.at = &at
		}
		all[name] = g
	}
	for _, pair := range s.in.Environ {
		name, text, _ := strings.Cut(pair, "=")
		if name, ok := strings.CutPrefix(name, envPrefix); ok {
			all[name] = &given{where: envPrefix + name, text: text}
		}
	}
	for _, file := range s.in.VarFiles {
		diags = append(diags, s.fromFile(all, variables, file)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.in.Vars)) {
		if variables[name] == nil {
			diags = append(diags, unknown(nil, name, "--var", variables)...)
		}
		all[name] = &given{where: "--var", text: s.in.Vars[name]}
	}
	return all, diags
}

// fromExpressions adds the vars of the spec block, or the inputs of imports.
func (s *Scope) fromExpressions(all map[string]*given, variables map[string]*declared, where string, values map[string]hcl.Expression) diag.List {
	var diags diag.List
	for _, name := range slices.Sorted(maps.Keys(values)) {
		expr := values[name]
		at := expr.Range()
		if variables[name] == nil {
			at := spec.NameRange(expr)
			diags = append(diags, unknown(&at, name, where, variables)...)
			continue
		}
		value, problems := bounds.Value(expr, s.plain(at.Filename))
		diags = append(diags, diag.FromHCL(problems)...)
		if problems.HasErrors() {
			value = cty.DynamicVal
		}
		all[name] = &given{where: where, at: &at, known: value}
	}
	return diags
}

// fromFile adds the values of a --var-file: an object in JSON, or attributes.
func (s *Scope) fromFile(all map[string]*given, variables map[string]*declared, file string) diag.List {
	text, err := s.in.Sources.ReadFile(file)
	if err != nil {
		return diag.Errorf(nil, "Unreadable file", "The file of --var-file could not be read: %v.", err)
	}
	if strings.HasSuffix(file, ".json") {
		return fromJSON(all, variables, file, text)
	}
	parsed, problems := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	if parsed != nil {
		s.in.Spec.Sources[file] = parsed
	}
	if problems.HasErrors() {
		return diag.FromParser(problems)
	}
	bounds.Limit(parsed.Body.(*hclsyntax.Body))
	attrs, problems := parsed.Body.JustAttributes()
	diags := diag.FromHCL(problems)
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr := attrs[name]
		at := attr.Expr.Range()
		value, problems := bounds.Value(attr.Expr, s.plain(file))
		diags = append(diags, diag.FromHCL(problems)...)
		if problems.HasErrors() {
			value = cty.DynamicVal
		}
		if variables[name] == nil {
			diags = append(diags, unknown(&attr.NameRange, name, file, variables)...)
		}
		all[name] = &given{where: file, at: &at, known: value}
	}
	return diags
}

func fromJSON(all map[string]*given, variables map[string]*declared, file string, text []byte) diag.List {
	kind, err := ctyjson.ImpliedType(text)
	if err != nil {
		return diag.Errorf(nil, "Invalid file", "The file %s is no valid JSON: %v.", file, err)
	}
	if !kind.IsObjectType() {
		return diag.Errorf(nil, "Invalid file", "The file %s is no JSON object with values of variables.", file)
	}
	object, err := ctyjson.Unmarshal(text, kind)
	if err != nil {
		return diag.Errorf(nil, "Invalid file", "The file %s is no valid JSON: %v.", file, err)
	}
	var diags diag.List
	for _, name := range slices.Sorted(maps.Keys(kind.AttributeTypes())) {
		if variables[name] == nil {
			diags = append(diags, unknown(nil, name, file, variables)...)
		}
		all[name] = &given{where: file, known: object.GetAttr(name)}
	}
	return diags
}

// fromImporter adds the inputs of the import, which are the importer's expressions.
func (s *Scope) fromImporter(all map[string]*given, variables map[string]*declared) diag.List {
	var diags diag.List
	for _, name := range slices.Sorted(maps.Keys(s.names.Vars)) {
		expr := s.names.Vars[name]
		at := expr.Range()
		if variables[name] == nil {
			at := spec.NameRange(expr)
			diags = append(diags, unknown(&at, name, "the import", variables)...)
			continue
		}
		g := &given{where: "the import", at: &at, known: cty.DynamicVal}
		all[name] = g
		if s.outer.needsRun(expr) {
			diags = append(diags, s.wait(variables[name], expr)...)
			continue
		}
		value, problems := bounds.Value(expr, s.Outside(at.Filename))
		diags = append(diags, diag.FromHCL(problems)...)
		if !problems.HasErrors() {
			g.known = value
		}
	}
	return diags
}

// unknown reports a value for a variable that the playbook does not have.
func unknown(at *hcl.Range, name, where string, variables map[string]*declared) diag.List {
	return diag.Errorf(at, "Unknown variable", "The playbook has no variable %q, for which %s has a value.%s",
		name, where, diag.Near(name, slices.Collect(maps.Keys(variables))))
}

// value returns the given value; a text is parsed by the variable's type.
func (g *given) value(v *declared) (cty.Value, diag.List) {
	if g.known != cty.NilVal {
		return g.known, nil
	}
	if v.kind.IsPrimitiveType() || v.kind == cty.DynamicPseudoType {
		return cty.StringVal(g.text), nil
	}
	expr, problems := hclsyntax.ParseExpression([]byte(g.text), g.where, hcl.InitialPos)
	if !problems.HasErrors() {
		var value cty.Value
		bounds.Limit(expr)
		if value, problems = bounds.Value(expr, nil); !problems.HasErrors() {
			return value, nil
		}
	}
	return cty.DynamicVal, diag.Errorf(&v.Range, "Invalid value", "The value of variable %q from %s is no expression: %s. Write lists and objects as in HCL, such as [\"a\", \"b\"].",
		v.Name, g.where, strings.TrimSuffix(problems[0].Detail, "."))
}

// wait records a variable that is known only for a host or during a run.
func (s *Scope) wait(v *declared, expr hcl.Expression) diag.List {
	s.waiting[v.Name] = &Waiting{Expr: expr, variable: v, redactor: s.in.Redactor}
	if len(v.Validations) == 0 {
		return nil
	}
	at := expr.Range()
	return diag.Errorf(&at, "Not known before the run", "The variable %q has a validation (%s), which is made before any task runs, so its value cannot refer to a host or to values of tasks.",
		v.Name, v.Validations[0].Range)
}

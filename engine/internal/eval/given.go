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
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/vault"
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

// collector collects the values of variables.
type collector struct {
	*Scope
	variables map[string]*declared
	all       map[string]*given
	diag.Collector
}

// given collects the values of variables, the highest priority last: imports, spec,
// inventory, environment, files, command line. Imports with a label get values only from
// imports.
func (s *Scope) given(variables map[string]*declared) (map[string]*given, diag.List) {
	c := &collector{Scope: s, variables: variables, all: map[string]*given{}}
	c.expressions("an import", s.names.Inputs)
	if s.outer != nil {
		c.importer()
		return c.all, c.Diags
	}
	c.expressions("the spec", s.names.Vars)
	for name, value := range s.in.Inventory {
		g := &given{where: "the inventory", known: value}
		if at, ok := s.in.Places[name]; ok && at.Filename != "" {
			g.at = &at
		}
		c.all[name] = g
	}
	for _, pair := range s.in.Environ {
		name, text, _ := strings.Cut(pair, "=")
		if name, ok := strings.CutPrefix(name, envPrefix); ok {
			c.all[name] = &given{where: envPrefix + name, text: text}
		}
	}
	for _, file := range s.in.VarFiles {
		c.file(file)
	}
	for _, name := range slices.Sorted(maps.Keys(s.in.Vars)) {
		c.knows(name, "--var", nil)
		c.all[name] = &given{where: "--var", text: s.in.Vars[name]}
	}
	return c.all, c.Diags
}

// knows reports whether the playbook has a variable, and adds an error if it does not.
func (c *collector) knows(name, where string, at *hcl.Range) bool {
	if c.variables[name] == nil {
		c.Tell(diag.Errorf(at, "Unknown variable", "The playbook has no variable %q, for which %s has a value.%s",
			name, where, diag.Near(name, slices.Collect(maps.Keys(c.variables)))))
	}
	return c.variables[name] != nil
}

// evaluate adds the value of an expression, which is unknown if that has none.
func (c *collector) evaluate(name, where string, expr hcl.Expression, ctx *hcl.EvalContext) {
	at := expr.Range()
	value, problems := bounds.Value(expr, ctx)
	c.Tell(diag.FromHCL(problems))
	if problems.HasErrors() {
		value = cty.DynamicVal
	}
	if (problems.HasErrors() || c.variables[name] == nil) && mayBeSensitive(name, c.variables) {
		c.conceal(expr, ctx)
	}
	c.all[name] = &given{where: where, at: &at, known: value}
}

// expressions adds the vars of the spec block, or the inputs of imports.
func (c *collector) expressions(where string, values map[string]hcl.Expression) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		expr, at := values[name], spec.NameRange(values[name])
		ctx := c.plain(expr.Range().Filename)
		if c.knows(name, where, &at) {
			c.evaluate(name, where, expr, ctx)
		} else if mayBeSensitive(name, c.variables) {
			c.conceal(expr, ctx)
		}
	}
}

// file adds the values of a --var-file: an object in JSON, or attributes.
func (c *collector) file(file string) {
	err := c.in.Sources.Named(file)
	var text []byte
	if err == nil {
		text, err = c.in.Sources.ReadFile(file)
	}
	if err != nil {
		c.Tell(diag.Errorf(nil, "Unreadable file", "The file of --var-file could not be read: %v.", err))
		return
	}
	if vault.Encrypted(text) {
		c.encrypted(file, string(text))
		return
	}
	if strings.HasSuffix(file, ".json") {
		c.json(file, text, false)
		return
	}
	parsed, problems := bounds.Parse(file, text)
	if parsed != nil {
		c.in.Spec.Sources[file] = parsed
	}
	if problems.HasErrors() {
		c.concealLines(string(text), c.variables)
		c.Tell(diag.FromParser(problems))
		return
	}
	attrs, problems := parsed.Body.JustAttributes()
	c.Tell(diag.FromHCL(problems))
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		c.evaluate(name, file, attrs[name].Expr, c.plain(file))
		c.knows(name, file, &attrs[name].NameRange)
	}
}

// encrypted adds the values of a --var-file that Ansible Vault has encrypted. They are sensitive, and errors quote nothing of them.
func (c *collector) encrypted(file, text string) {
	plain, err := "", error(vault.ErrNoPassword)
	if c.in.Decrypt != nil {
		plain, err = c.in.Decrypt(text)
	}
	if err != nil {
		c.Tell(diag.Errorf(nil, "Encrypted file", "The file %s of --var-file is encrypted by Ansible Vault: %v. Give its password by --vault-id or --vault-password-file.", file, err))
		return
	}
	if strings.HasSuffix(file, ".json") {
		c.json(file, []byte(plain), true)
		return
	}
	parsed, problems := bounds.Parse(file, []byte(plain))
	var attrs hcl.Attributes
	if !problems.HasErrors() {
		attrs, problems = parsed.Body.JustAttributes()
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		value, wrong := bounds.Value(attrs[name].Expr, c.plain(file))
		problems = append(problems, wrong...)
		if c.knows(name, file, nil) && !wrong.HasErrors() {
			c.sensitive(name, file, value)
		}
	}
	if problems.HasErrors() {
		c.mistake(file)
	}
}

func (c *collector) mistake(file string) {
	c.Tell(diag.Errorf(nil, "Encrypted file", "The decrypted text of %s has a mistake: look at it with ansible-vault view. It has attributes, or an object if the name of the file ends in .json.", file))
}

// sensitive adds a value that was encrypted.
func (c *collector) sensitive(name, file string, value cty.Value) {
	value = sensitive.Mark(value)
	masked(value, c.in.Redactor)
	c.all[name] = &given{where: file, known: value}
}

func (c *collector) json(file string, text []byte, encrypted bool) {
	kind, err := ctyjson.ImpliedType(text)
	var object cty.Value
	if err == nil {
		object, err = ctyjson.Unmarshal(text, kind)
	}
	switch {
	case encrypted && (err != nil || !kind.IsObjectType()):
		c.mistake(file)
		return
	case err != nil:
		c.Tell(diag.Errorf(nil, "Invalid file", "The file %s is no valid JSON: %v.", file, err))
		return
	case !kind.IsObjectType():
		c.Tell(diag.Errorf(nil, "Invalid file", "The file %s is no JSON object with values of variables.", file))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(kind.AttributeTypes())) {
		c.knows(name, file, nil)
		if encrypted {
			c.sensitive(name, file, object.GetAttr(name))
			continue
		}
		c.all[name] = &given{where: file, known: object.GetAttr(name)}
	}
}

// importer adds the inputs of the import, which are the importer's expressions.
func (c *collector) importer() {
	for _, name := range slices.Sorted(maps.Keys(c.names.Vars)) {
		expr, at := c.names.Vars[name], spec.NameRange(c.names.Vars[name])
		switch {
		case !c.knows(name, "the import", &at):
			if mayBeSensitive(name, c.variables) {
				c.conceal(expr, c.Outside(expr.Range().Filename))
			}
		case c.outer.needsRun(expr):
			at := expr.Range()
			c.all[name] = &given{where: "the import", at: &at, known: cty.DynamicVal}
			c.Tell(c.wait(c.variables[name], expr))
		default:
			c.evaluate(name, "the import", expr, c.Outside(expr.Range().Filename))
		}
	}
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

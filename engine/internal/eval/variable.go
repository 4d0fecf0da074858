package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
)

// setVariables sets the value of every variable and then checks its validations.
func (s *Scope) setVariables() diag.List {
	var diags diag.List
	byName := map[string]*declared{}
	var order []*declared
	for _, v := range s.names.Variables {
		d, more := declare(v)
		diags = append(diags, more...)
		byName[v.Name] = d
		order = append(order, d)
	}
	given, more := s.given(byName)
	diags = append(diags, more...)
	for _, v := range order {
		value, more := s.value(v, given[v.Name])
		diags = append(diags, more...)
		s.vars[v.Name] = value
		if v.Sensitive {
			diags = append(diags, tooShort("var."+v.Name, v.valueAt(given[v.Name]), value)...)
			s.vars[v.Name] = masked(value, s.in.Redactor)
		} else if sensitive.Is(value) {
			s.Mask(value)
		}
	}
	return append(diags, s.validateAll(order)...)
}

// validateAll makes invalid values unknown, so that errors that follow from them are not
// reported. A validation may refer to other variables, so it gets all values.
func (s *Scope) validateAll(order []*declared) diag.List {
	var diags diag.List
	var failed []string
	values := map[string]cty.Value{"var": cty.ObjectVal(s.vars)}
	for _, v := range order {
		var problems diag.List
		if len(v.Validations) > 0 && s.vars[v.Name].IsWhollyKnown() {
			ctx := &hcl.EvalContext{Variables: values, Functions: s.functions(spec.Folder(v.Range.Filename))}
			for _, c := range v.Validations {
				problems = append(problems, Assert(c, ctx, "Invalid value")...)
			}
		}
		if given := s.names.Vars[v.Name]; given != nil && s.outer != nil {
			for i := range problems {
				problems[i].Detail += fmt.Sprintf(" The value is from %s (%s).", s.names.Path(), given.Range())
			}
		}
		if problems.HasErrors() {
			failed = append(failed, v.Name)
		}
		diags = append(diags, problems...)
	}
	for _, name := range failed {
		s.vars[name] = cty.DynamicVal
	}
	return diags
}

// valueAt returns the place of the variable's value: in a file, or at its declaration.
func (d *declared) valueAt(given *given) hcl.Range {
	switch {
	case given != nil && given.at != nil:
		return *given.at
	case given == nil && d.Default != nil:
		return d.Default.Range()
	}
	return d.Range
}

// value returns a variable's given value, or its default.
func (s *Scope) value(v *declared, given *given) (cty.Value, diag.List) {
	if given != nil {
		if v.Sensitive {
			s.in.Redactor.Add(given.text) // an error may quote it
		}
		value, diags := given.value(v)
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
		return v.typed(value, given.where, given.at, s.in.Redactor)
	}
	if v.Default == nil && s.outer != nil {
		return cty.DynamicVal, diag.Errorf(&s.names.Range, "Missing value",
			"The variable %q (%s) has no default, and %s gives it no value. Add it to the import's inputs.", v.Name, v.Range, s.names.Path())
	}
	if v.Default == nil {
		return cty.DynamicVal, diag.Errorf(&v.Range, "Missing value",
			"The variable %q has no default and no value. Give it one by --var %s=…, in a --var-file, as KINIT_VAR_%s, or in the vars of an inventory.", v.Name, v.Name, v.Name)
	}
	ctx := s.plain(v.Range.Filename)
	value, problems := bounds.Value(v.Default, ctx)
	if problems.HasErrors() {
		if v.Sensitive {
			s.conceal(v.Default, ctx)
		}
		return cty.DynamicVal, diag.FromHCL(problems)
	}
	at := v.Default.Range()
	return v.typed(value, "its default", &at, s.in.Redactor)
}

// Assert evaluates a condition; if it is false, the error has its message and the summary.
// An unknown condition is no error.
func Assert(c spec.Condition, ctx *hcl.EvalContext, summary string) diag.List {
	value, problems := bounds.Value(c.Condition, ctx)
	if problems.HasErrors() {
		return diag.FromHCL(problems)
	}
	at := c.Condition.Range()
	value, _ = sensitive.Plain(value) // the outcome of a condition is no secret
	value, err := convert.Convert(value, cty.Bool)
	if err != nil || value.IsNull() {
		return diag.Errorf(&at, "Invalid condition", "A condition must be true or false.")
	}
	if !value.IsKnown() || value.True() {
		return nil
	}
	message, problems := bounds.Value(c.ErrorMessage, ctx)
	if problems.HasErrors() {
		return diag.FromHCL(problems)
	}
	if sensitive.Is(message) {
		message = cty.StringVal(sensitive.Shown)
	}
	text, err := convert.Convert(message, cty.String)
	if err != nil || text.IsNull() || !text.IsKnown() {
		at := c.ErrorMessage.Range()
		return diag.Errorf(&at, "Invalid error message", "An error_message must be a text.")
	}
	return diag.Errorf(&at, summary, "%s", text.AsString())
}

// Package render renders texts with HCL template syntax, for the modules template
// and win_template.
package render

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"kinit/engine/bounds"
	"kinit/engine/lineend"
)

// Functions are the functions a template may call. None of them reads anything
// but its arguments.
func Functions() map[string]function.Function {
	all := map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "chomp": stdlib.ChompFunc,
		"coalesce": stdlib.CoalesceFunc, "compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc,
		"contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc, "flatten": stdlib.FlattenFunc,
		"floor": stdlib.FloorFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"indent": stdlib.IndentFunc, "join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc,
		"jsonencode": stdlib.JSONEncodeFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc,
		"lookup": stdlib.LookupFunc, "lower": stdlib.LowerFunc, "max": stdlib.MaxFunc,
		"merge": stdlib.MergeFunc, "min": stdlib.MinFunc, "range": stdlib.RangeFunc,
		"regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc, "replace": stdlib.ReplaceFunc,
		"reverse": stdlib.ReverseListFunc, "sort": stdlib.SortFunc, "split": stdlib.SplitFunc,
		"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc,
		"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"upper": stdlib.UpperFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
	}
	bounds.Functions(all)
	return all
}

// Text renders a template. If all lines of the template end as on Windows, so do those of the text. An error has the number and the text of the template's line; for a
// secret template only the number.
func Text(template string, vars cty.Value, secret bool) (text string, err error) {
	text, err = fill(lineend.Plain(template), vars)
	text = lineend.Like(template, text)
	if at := (*problem)(nil); secret && errors.As(err, &at) {
		return "", fmt.Errorf("template line %d: %s; it is secret, so nothing else is shown", at.line, at.summary)
	}
	return text, err
}

// problem describes the mistake in a line of a template.
type problem struct {
	line          int
	summary, text string
}

func (p *problem) Error() string { return p.text }

func fill(template string, vars cty.Value) (string, error) {
	expr, diags := hclsyntax.ParseTemplate([]byte(template), "template", hcl.InitialPos)
	if diags.HasErrors() {
		return "", explain(template, diags)
	}
	bounds.Limit(expr)
	value, diags := bounds.Value(expr, &hcl.EvalContext{Variables: variables(vars), Functions: Functions()})
	if diags.HasErrors() {
		return "", explain(template, diags)
	}
	value, err := convert.Convert(value, cty.String)
	switch {
	case err != nil:
		return "", fmt.Errorf("template gives no text: %w", err)
	case value.IsNull() || !value.IsKnown():
		return "", errors.New("template gives null, want a text")
	}
	return value.AsString(), nil
}

// IsObject reports whether the value can define names for a template; none, null and
// unknown values can.
func IsObject(v cty.Value) bool {
	if v == cty.NilVal || v.IsNull() {
		return true
	}
	ty := v.Type()
	return ty.IsObjectType() || ty.IsMapType() || ty == cty.DynamicPseudoType
}

// variables are the names that a template can use.
func variables(vars cty.Value) map[string]cty.Value {
	if vars == cty.NilVal || vars.IsNull() || !vars.IsKnown() {
		return nil
	}
	return vars.AsValueMap()
}

// explain converts diagnostics to an error with their lines, in the
// order of the lines.
func explain(template string, diags hcl.Diagnostics) error {
	sort.SliceStable(diags, func(i, j int) bool { return lineOf(diags[i]) < lineOf(diags[j]) })
	lines := strings.Split(template, "\n")
	var all []error
	for _, d := range diags {
		text := fmt.Sprintf("template line %d: %s: %s", lineOf(d), d.Summary, d.Detail)
		if n := lineOf(d); n >= 1 && n <= len(lines) {
			text += "\n  " + strings.TrimSpace(lines[n-1])
		}
		all = append(all, &problem{lineOf(d), d.Summary, text})
	}
	return errors.Join(all...)
}

func lineOf(d *hcl.Diagnostic) int {
	if d.Subject == nil {
		return 0
	}
	return d.Subject.Start.Line
}

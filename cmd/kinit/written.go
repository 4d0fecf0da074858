package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// written returns a value of the command line in HCL: as it is, if it is a literal, else as a
// text in quotes.
func written(value string) string {
	expr, problems := hclsyntax.ParseExpression([]byte(value), "value", hcl.InitialPos)
	if problems.HasErrors() || !isLiteral(expr, value) {
		return quote(value)
	}
	return value
}

// quote returns a text as HCL writes it.
func quote(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes())
}

// isLiteral reports whether an expression is a value that is written out. A number that HCL
// would write in another way, such as 0644 or 1.10, is meant as a text.
func isLiteral(expr hclsyntax.Expression, text string) bool {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		if !e.Val.IsNull() && e.Val.Type() == cty.Number {
			return e.Val.AsBigFloat().Text('f', -1) == text
		}
		return true
	case *hclsyntax.TemplateExpr:
		return e.IsStringLiteral() || len(e.Parts) == 0
	case *hclsyntax.TupleConsExpr:
		for _, inner := range e.Exprs {
			if !isLiteral(inner, within(inner, text)) {
				return false
			}
		}
		return true
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			key, problems := item.KeyExpr.Value(nil)
			if problems.HasErrors() || key.IsNull() || !isLiteral(item.ValueExpr, within(item.ValueExpr, text)) {
				return false
			}
		}
		return true
	}
	return false
}

// within returns the part of a text that an expression is.
func within(expr hclsyntax.Expression, text string) string {
	return string(expr.Range().SliceBytes([]byte(text)))
}

package eval

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
)

// The line that an error is about is shown. A sensitive variable may have no value because of that
// error, so what is written there is masked instead.

// conceal masks what an expression is, and, if it has no value, what is written in it.
func (s *Scope) conceal(expr hcl.Expression, ctx *hcl.EvalContext) {
	value, problems := bounds.Value(expr, ctx)
	if !problems.HasErrors() {
		masked(value, s.in.Redactor)
		return
	}
	s.in.Redactor.Add(Literals(expr)...)
	for _, t := range expr.Variables() {
		if has(ctx, t.RootName()) {
			continue
		}
		// A text without its quotes is taken for a name, or for several with operators.
		if len(t) == 1 {
			s.in.Redactor.Add(t.RootName())
		}
		if file, at := s.in.Spec.Sources[expr.Range().Filename], expr.Range(); file != nil && at.CanSliceBytes(file.Bytes) {
			s.in.Redactor.Add(lines(string(at.SliceBytes(file.Bytes)))...)
		}
	}
}

func has(ctx *hcl.EvalContext, name string) bool {
	for ; ctx != nil; ctx = ctx.Parent() {
		if _, ok := ctx.Variables[name]; ok {
			return true
		}
	}
	return false
}

// Literals lists the texts and numbers in an expression. Keys of objects and paths of files are no
// secrets.
func Literals(expr hcl.Expression) []string {
	expr = hcl.UnwrapExpressionUntil(expr, func(e hcl.Expression) bool { _, ok := e.(hclsyntax.Expression); return ok })
	w := &literalWalker{}
	if node, ok := expr.(hclsyntax.Expression); ok {
		_ = hclsyntax.Walk(node, w)
	}
	return w.found
}

type literalWalker struct {
	found []string
	apart int // how many keys and paths are around the node
}

func isApart(node hclsyntax.Node) bool {
	switch node := node.(type) {
	case *hclsyntax.FunctionCallExpr:
		_, ok := reader{}.functions()[node.Name]
		return ok || node.Name == "templatefile"
	case *hclsyntax.ObjectConsKeyExpr:
		return true
	}
	return false
}

// Enter notes a literal.
func (w *literalWalker) Enter(node hclsyntax.Node) hcl.Diagnostics {
	if isApart(node) {
		w.apart++
	}
	if literal, ok := node.(*hclsyntax.LiteralValueExpr); ok && w.apart == 0 {
		w.found = append(w.found, sensitive.Texts(sensitive.Mark(literal.Val))...)
	}
	return nil
}

// Exit is the end of what Enter began.
func (w *literalWalker) Exit(node hclsyntax.Node) hcl.Diagnostics {
	if isApart(node) {
		w.apart--
	}
	return nil
}

// lines lists the lines of a text without blanks around them.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// mayBeSensitive reports whether a name is a sensitive variable's, or was probably meant to be it.
func mayBeSensitive(name string, variables map[string]*declared) bool {
	if v := variables[name]; v != nil {
		return v.Sensitive
	}
	known := slices.Collect(maps.Keys(variables))
	return slices.ContainsFunc(known, func(k string) bool {
		return variables[k].Sensitive && diag.Mistyped(k, known, []string{name})
	})
}

// assignment is the beginning of an argument: its indentation, its name, and the rest of the line.
var assignment = regexp.MustCompile(`^(\s*)([\w-]+)\s*=(.*)$`)

// concealLines masks the values of sensitive variables in a text that is not valid HCL. A value ends
// at the next argument that is not indented further.
func (s *Scope) concealLines(text string, variables map[string]*declared) {
	inside, indent := false, 0
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if m := assignment.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && (!inside || len(m[1]) <= indent) {
			inside, indent, rest = mayBeSensitive(m[2], variables), len(m[1]), strings.TrimSpace(m[3])
		}
		if inside {
			s.in.Redactor.Add(rest)
		}
	}
}

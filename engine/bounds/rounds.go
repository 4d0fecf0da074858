package eval

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// What no playbook means. The greatest clusters stay far below; what is beyond would fill
// the memory or take minutes, and is a mistake.
const (
	mostElements = 1_000_000 // of one value, those inside included
	mostBytes    = 16 << 20  // of all texts of one value
	mostRounds   = 1_000_000 // of for expressions within each other
	mostWidth    = 64 << 10  // of a verb of format
)

// Rounds tells of for expressions within each other that would take too many rounds
// together, before they are evaluated. How many an inner one takes is what it takes for
// the first element of the outer one.
func Rounds(expr hcl.Expression, ctx *hcl.EvalContext) hcl.Diagnostics {
	node, ok := expr.(hclsyntax.Node)
	if !ok {
		return nil
	}
	r := &rounds{ctx: ctx}
	return hclsyntax.Walk(node, r)
}

// rounds walks along for expressions. One is around what is in its ChildScopes; what is
// in its collection is beside it.
type rounds struct {
	ctx   *hcl.EvalContext
	loops []*loop // entered
}

type loop struct {
	expr   *hclsyntax.ForExpr
	around int              // how many ChildScopes of it were entered
	size   int              // of its collection
	inner  *hcl.EvalContext // of its first element; nil as long as nobody needs it
}

func (r *rounds) Enter(node hclsyntax.Node) hcl.Diagnostics {
	switch n := node.(type) {
	case *hclsyntax.ForExpr:
		r.loops = append(r.loops, &loop{expr: n})
		return r.check()
	case hclsyntax.ChildScope:
		if len(r.loops) > 0 {
			r.loops[len(r.loops)-1].around++
		}
	}
	return nil
}

func (r *rounds) Exit(node hclsyntax.Node) hcl.Diagnostics {
	switch node.(type) {
	case *hclsyntax.ForExpr:
		r.loops = r.loops[:len(r.loops)-1]
	case hclsyntax.ChildScope:
		if len(r.loops) > 0 {
			r.loops[len(r.loops)-1].around--
		}
	}
	return nil
}

// check counts the rounds of the innermost loop, where it is within another.
func (r *rounds) check() hcl.Diagnostics {
	var within []*loop
	for _, l := range r.loops[:len(r.loops)-1] {
		if l.around > 0 {
			within = append(within, l)
		}
	}
	if len(within) == 0 {
		return nil
	}
	ctx, total := r.ctx, 1
	for _, l := range within {
		if l.inner == nil {
			l.enter(ctx)
		}
		ctx, total = l.inner, total*l.size
	}
	here := r.loops[len(r.loops)-1]
	here.enter(ctx)
	if total *= here.size; total <= mostRounds {
		return nil
	}
	at := within[0].expr.Range()
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Too many rounds",
		Detail:  fmt.Sprintf("These for expressions take %d rounds together, and at most %d can be meant.", total, mostRounds),
		Subject: &at}}
}

// enter finds the size of the collection and binds the first element.
func (l *loop) enter(ctx *hcl.EvalContext) {
	l.inner, l.size = ctx.NewChild(), 1
	key, value := cty.DynamicVal, cty.DynamicVal
	collection, problems := l.expr.CollExpr.Value(ctx)
	if collection, _ = collection.Unmark(); !problems.HasErrors() && collection.IsKnown() && !collection.IsNull() && collection.CanIterateElements() {
		l.size = collection.LengthInt()
		if elements := collection.ElementIterator(); elements.Next() {
			key, value = elements.Element()
		}
	}
	l.inner.Variables = map[string]cty.Value{l.expr.ValVar: value}
	if l.expr.KeyVar != "" {
		l.inner.Variables[l.expr.KeyVar] = key
	}
}

// Size tells that a value is larger than any can be meant.
func Size(value cty.Value) error {
	if value == cty.NilVal {
		return nil
	}
	s := &size{}
	s.add(value)
	switch {
	case s.elements > mostElements:
		return fmt.Errorf("the value has more than %d elements, and no such value can be meant", mostElements)
	case s.bytes > mostBytes:
		return fmt.Errorf("the texts of the value have more than %d MiB, and no such value can be meant", mostBytes>>20)
	}
	return nil
}

type size struct{ elements, bytes int }

// add counts until it is too much.
func (s *size) add(value cty.Value) {
	value, _ = value.Unmark()
	if s.elements > mostElements || s.bytes > mostBytes || !value.IsKnown() || value.IsNull() {
		return
	}
	if value.Type() == cty.String {
		s.bytes += len(value.AsString())
		return
	}
	if !value.CanIterateElements() {
		return
	}
	for elements := value.ElementIterator(); elements.Next(); {
		s.elements++
		_, element := elements.Element()
		s.add(element)
	}
}

// limited is a function whose arguments are looked at before it is called.
func limited(f function.Function, look func(args []cty.Value) error) function.Function {
	check := func(args []cty.Value) error {
		plain := make([]cty.Value, len(args))
		for i, arg := range args {
			plain[i], _ = arg.UnmarkDeep()
		}
		return look(plain)
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(), VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := check(args); err != nil {
				return cty.NilType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	})
}

// elementsOf is how many elements a known collection has, and 1 of anything else.
func elementsOf(value cty.Value) int {
	if !value.IsKnown() || value.IsNull() || !value.CanIterateElements() {
		return 1
	}
	return value.LengthInt()
}

// product refuses collections with too many combinations.
func product(args []cty.Value) error {
	total := 1
	for _, arg := range args {
		if total *= elementsOf(arg); total > mostElements {
			return fmt.Errorf("this makes more than %d combinations, and no such value can be meant", mostElements)
		}
	}
	return nil
}

// verb is a verb of format with a width, a precision, or both.
var verb = regexp.MustCompile(`%[-+ #0]*(?:\[\d+\])?(\d*)(?:\.(\d*))?`)

// widths refuses verbs that would print a very long text for any value.
func widths(args []cty.Value) error {
	if len(args) == 0 || !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.String {
		return nil
	}
	for _, match := range verb.FindAllStringSubmatch(args[0].AsString(), -1) {
		for _, digits := range match[1:] {
			if n, err := strconv.Atoi(digits); digits != "" && (err != nil || n > mostWidth) {
				return fmt.Errorf("the width of %q is more than %d, and no such text can be meant", match[0], mostWidth)
			}
		}
	}
	return nil
}

// joined refuses texts that would be too long together.
func joined(args []cty.Value) error {
	if len(args) == 0 || !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.String {
		return nil
	}
	s, count := &size{}, 0
	for _, list := range args[1:] {
		s.add(list)
		count += elementsOf(list)
	}
	return tooLong(s.bytes + count*len(args[0].AsString()))
}

// replaced refuses replacements that would make too long a text.
func replaced(args []cty.Value) error {
	for _, arg := range args {
		if !arg.IsKnown() || arg.IsNull() || arg.Type() != cty.String {
			return nil
		}
	}
	text, old := args[0].AsString(), args[1].AsString()
	return tooLong(len(text) + strings.Count(text, old)*len(args[2].AsString()))
}

// indented refuses more spaces than a line can be meant to begin with.
func indented(args []cty.Value) error {
	if len(args) == 0 || !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.Number {
		return nil
	}
	if n, _ := args[0].AsBigFloat().Float64(); n > mostWidth {
		return fmt.Errorf("more than %d spaces cannot be meant", mostWidth)
	}
	return nil
}

func tooLong(bytes int) error {
	if bytes > mostBytes {
		return fmt.Errorf("this makes a text of up to %d MiB, and more than %d MiB cannot be meant", bytes>>20, mostBytes>>20)
	}
	return nil
}

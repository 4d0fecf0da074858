package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/sensitive"
)

// Shared stores, while the arguments of a block's instances are checked, the values of
// expressions that are the same for all instances.
type Shared struct {
	differs    func(hcl.Expression) bool
	varies     map[hcl.Expression]bool
	values     map[hcl.Expression]*evaluated
	kinds      map[reflect.Type]cty.Type
	unexpected map[*hclsyntax.Body]diag.List
}

// evaluated is an expression's value, as it is and converted to its argument's type.
type evaluated struct {
	value     cty.Value
	problems  hcl.Diagnostics
	converted cty.Value
	err       error         // of the conversion
	known     bool          // all of it
	sensitive bool          // something in it
	common    bool          // to several instances
	decoded   reflect.Value // in the argument's Go type, after it was decoded
}

func evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
	e := &evaluated{}
	if e.value, e.problems = bounds.Value(expr, ctx); e.problems.HasErrors() || e.value.IsNull() {
		return e
	}
	if e.converted, e.err = eval.Convert(e.value, kind); e.err == nil {
		e.known = e.converted.IsWhollyKnown()
		e.sensitive = sensitive.Is(e.converted)
	}
	return e
}

// NewShared returns an empty Shared. differs reports whether an expression may have another
// value in another instance.
func NewShared(differs func(hcl.Expression) bool) *Shared {
	return &Shared{
		differs: differs, varies: map[hcl.Expression]bool{}, values: map[hcl.Expression]*evaluated{},
		kinds: map[reflect.Type]cty.Type{}, unexpected: map[*hclsyntax.Body]diag.List{},
	}
}

// evaluate evaluates an expression of an instance in its scope, ctx.
func (s *Shared) evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
	if once(s.varies, expr, func() bool { return s.differs(expr) }) {
		return evaluate(expr, ctx, kind)
	}
	return once(s.values, expr, func() *evaluated {
		e := evaluate(expr, ctx, kind)
		e.common = true
		return e
	})
}

// once returns the value of a key, which is made and stored the first time.
func once[K comparable, V any](stored map[K]V, key K, value func() V) V {
	found, known := stored[key]
	if !known {
		found = value()
		stored[key] = found
	}
	return found
}

// kindOf returns the type of values for an argument of a Go type, and stores it.
func (s *Shared) kindOf(name string, into reflect.Value) cty.Type {
	return once(s.kinds, into.Type(), func() cty.Type {
		kind, err := gocty.ImpliedType(into.Addr().Interface())
		if err != nil {
			panic(fmt.Sprintf("plan: argument %s of type %s: %v; this is a bug in kinit", name, into.Type(), err))
		}
		return kind
	})
}

// into puts the value into an argument. A value that several instances share is decoded
// once: nothing changes decoded values before the run.
func (e *evaluated) into(target reflect.Value) error {
	if e.decoded.IsValid() && e.decoded.Type() == target.Type() {
		target.Set(e.decoded)
		return nil
	}
	plain := e.converted
	if e.sensitive {
		plain, _ = sensitive.Plain(plain)
	}
	if err := gocty.FromCtyValue(plain, target.Addr().Interface()); err != nil {
		return err
	}
	if e.common {
		e.decoded = reflect.New(target.Type()).Elem()
		e.decoded.Set(target)
	}
	return nil
}

// errorText formats an error about the value, which may contain the value.
func (e *evaluated) errorText(err error) string {
	if sensitive.Is(e.value) {
		return "it is sensitive, so the reason is not shown"
	}
	return ErrorText(err)
}

// Differs reports whether an expression may have another value in another instance: it
// refers to something that differs between instances.
func Differs(expr hcl.Expression) bool {
	return slices.ContainsFunc(expr.Variables(), func(t hcl.Traversal) bool {
		return slices.Contains([]string{"each", "host", "result"}, t.RootName())
	})
}

// KeyText returns the key by which a value selects an instance or element.
func KeyText(key cty.Value) (string, bool) {
	key, _ = sensitive.Plain(key) // instances have no sensitive keys
	text, err := convert.Convert(key, cty.String)
	if err != nil || !text.IsKnown() || text.IsNull() {
		return "", false
	}
	return text.AsString(), true
}

// ErrorText formats an error with the path inside of the value.
func ErrorText(err error) string {
	words := strings.NewReplacer(
		"a bool is required", "true or false is required",
		"string required, but have tuple", "a text is required, and this is a list",
		"string required, but have list", "a text is required, and this is a list",
		"string required, but have object", "a text is required, and this is an object",
	).Replace(err.Error())
	at, ok := err.(cty.PathError)
	if !ok || len(at.Path) == 0 {
		return words
	}
	text := ""
	for _, step := range at.Path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			key, _ := KeyText(step.Key)
			text += "[" + key + "]"
		}
	}
	return words + " at " + text
}

package eval

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/internal/sensitive"
)

// marks are the functions that mark values as sensitive or not.
var marks = map[string]function.Function{
	"issensitive": ofMarked("Tells whether a value, or something in it, is sensitive.", cty.Bool, func(v cty.Value) cty.Value {
		return cty.BoolVal(sensitive.Is(v))
	}),
	"nonsensitive": ofMarked("Returns a value that is no longer sensitive: what shows it is not masked for its origin.", cty.DynamicPseudoType, func(v cty.Value) cty.Value {
		v, _ = sensitive.Plain(v)
		return v
	}),
	"sensitive": ofMarked("Returns a value that is sensitive, and so is all that is made of it.", cty.DynamicPseudoType, sensitive.Mark),
}

// ofMarked makes a function that gets the marks of its argument.
func ofMarked(about string, kind cty.Type, do func(cty.Value) cty.Value) function.Function {
	return function.New(&function.Spec{
		Description: about,
		Params:      []function.Parameter{open(function.Parameter{Name: "value", Type: cty.DynamicPseudoType})},
		Type: func(args []cty.Value) (cty.Type, error) {
			if kind == cty.DynamicPseudoType {
				return args[0].Type(), nil
			}
			return kind, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return do(args[0]), nil },
	})
}

// open returns a parameter that accepts every value unchanged.
func open(p function.Parameter) function.Parameter {
	p.AllowMarked, p.AllowUnknown, p.AllowNull, p.AllowDynamicType = true, true, true, true
	return p
}

// parting are the functions that split values. Each part of a secret is a secret too.
var parting = []string{"base64decode", "jsondecode", "keys", "regex", "regexall", "sensitive", "split", "yamldecode"}

// forming are the functions that convert a value to another form. Other functions only
// combine known texts.
var forming = []string{
	"abs", "base64encode", "ceil", "chomp", "floor", "lower", "md5", "parseint", "replace", "sha1", "sha256", "sha512", "strrev",
	"substr", "title", "tonumber", "tostring", "trim", "trimprefix", "trimspace", "trimsuffix", "upper", "urlencode", "uuidv5",
}

// teach makes functions report the texts that they make of sensitive values.
func teach(all map[string]function.Function, learn func(texts ...string)) {
	for _, name := range parting {
		all[name] = reporting(all[name], learn)
	}
	for _, name := range forming {
		all[name] = reporting(all[name], func(texts ...string) {
			// The single lines of a converted document are no secrets.
			learn(slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(text, "\n") })...)
		})
	}
}

// reporting returns a function that reports the texts in its result of sensitive values.
func reporting(f function.Function, learn func(texts ...string)) function.Function {
	spec := like(f, open)
	spec.Type = function.StaticReturnType(cty.DynamicPseudoType)
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		value, err := f.Call(args)
		if err == nil && sensitive.Is(value) {
			learn(sensitive.Texts(value)...)
		}
		return value, err
	}
	return function.New(spec)
}

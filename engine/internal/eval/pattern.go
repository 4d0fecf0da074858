package eval

import (
	"errors"
	"regexp"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"kinit/engine/lists"
	"kinit/engine/regex"
)

var (
	regexFirst = withRich(stdlib.RegexFunc, func(re *regex.Regexp, text string) (cty.Value, error) {
		found, err := re.Find(text)
		if err == nil && found == nil {
			err = errors.New("pattern did not match any part of the given string")
		}
		if err != nil {
			return cty.NilVal, err
		}
		return richValue(re, found), nil
	}, richType)
	regexEach = withRich(stdlib.RegexAllFunc, func(re *regex.Regexp, text string) (cty.Value, error) {
		all, err := re.FindAll(text)
		if err != nil || len(all) == 0 {
			return cty.ListValEmpty(richType(re)), err
		}
		return cty.ListVal(lists.Map(all, func(found []string) cty.Value { return richValue(re, found) })), nil
	}, func(re *regex.Regexp) cty.Type { return cty.List(richType(re)) })
)

// withRich returns a function of a pattern and a text that also takes the patterns which Go's
// own engine does not know: with look-ahead, look-behind and references to groups.
func withRich(f function.Function, find func(re *regex.Regexp, text string) (cty.Value, error), kind func(re *regex.Regexp) cty.Type) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			re, err := rich(args[0])
			if err != nil {
				return cty.NilType, function.NewArgErrorf(0, "invalid regular expression: %w", err)
			}
			if re != nil {
				return kind(re), nil
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if re, _ := rich(args[0]); re != nil {
				return find(re, args[1].AsString())
			}
			return f.Call(args)
		},
	})
}

// rich returns the expression of a pattern that Go's own engine does not know, or nil. The
// function itself reports patterns that are wrong for both.
func rich(pattern cty.Value) (*regex.Regexp, error) {
	if !pattern.IsKnown() || pattern.IsNull() || pattern.Type() != cty.String {
		return nil, nil
	}
	_, plain := regexp.Compile(pattern.AsString())
	if plain == nil {
		return nil, nil
	}
	re, err := regex.Compile(pattern.AsString())
	if err != nil && err.Error() == plain.Error() {
		return nil, nil
	}
	return re, err
}

// richValue returns the value of a match: a text without groups, a list of the groups, or an object
// of named ones.
func richValue(re *regex.Regexp, found []string) cty.Value {
	names := re.Names()[1:]
	switch {
	case len(names) == 0:
		return cty.StringVal(found[0])
	case !slices.Contains(names, ""):
		values := map[string]cty.Value{}
		for i, name := range names {
			values[name] = cty.StringVal(found[i+1])
		}
		return cty.ObjectVal(values)
	}
	return cty.TupleVal(lists.Map(found[1:], cty.StringVal))
}

// richType returns the type of a match.
func richType(re *regex.Regexp) cty.Type {
	return richValue(re, make([]string, len(re.Names()))).Type()
}

package eval

import (
	"errors"
	"regexp"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"kinit/engine/lists"
	"kinit/engine/regex"
)

// patterns keeps the regular expressions of a table of functions: many instances match texts
// with the same few, and compiling takes longer than matching.
type patterns struct {
	mu    sync.Mutex
	known map[string]pattern
}

// mostPatterns is how many expressions are kept.
const mostPatterns = 256

// pattern is a compiled regular expression: of Go's own engine, or of the one with look-ahead,
// look-behind and references to groups. Neither means that stdlib's function reports why.
type pattern struct {
	plain *regexp.Regexp
	rich  *regex.Regexp
	err   error
}

// of returns the compiled expression. It has neither kind for a value that is no known text.
func (p *patterns) of(value cty.Value) pattern {
	if !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
		return pattern{}
	}
	text := value.AsString()
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.known[text]
	if !ok {
		if len(p.known) >= mostPatterns {
			p.known = nil
		}
		if p.known == nil {
			p.known = map[string]pattern{}
		}
		found = compile(text)
		p.known[text] = found
	}
	return found
}

func compile(text string) pattern {
	plain, failed := regexp.Compile(text)
	if failed == nil {
		if names := plain.SubexpNames()[1:]; slices.Contains(names, "") && slices.ContainsFunc(names, func(name string) bool { return name != "" }) {
			return pattern{} // groups with and without names are a mistake
		}
		return pattern{plain: plain}
	}
	re, err := regex.Compile(text)
	if err != nil && err.Error() == failed.Error() {
		return pattern{}
	}
	return pattern{rich: re, err: err}
}

// names returns the names of the groups, empty for one without.
func (p pattern) names() []string {
	if p.plain != nil {
		return p.plain.SubexpNames()[1:]
	}
	return p.rich.Names()[1:]
}

// kind returns the type of a match.
func (p pattern) kind() cty.Type {
	return matchValue(p.names(), slices.Repeat([]cty.Value{cty.StringVal("")}, len(p.names())+1)).Type()
}

// first returns regex: the first match of a pattern, which may also be one that Go's own engine
// does not know.
func (p *patterns) first() function.Function {
	return p.function(stdlib.RegexFunc, pattern.kind, func(re pattern, text string) (cty.Value, error) {
		if re.plain != nil {
			if found := re.plain.FindStringSubmatchIndex(text); found != nil {
				return re.at(text, found), nil
			}
			return cty.NilVal, errNoMatch
		}
		found, err := re.rich.Find(text)
		if err == nil && found == nil {
			err = errNoMatch
		}
		if err != nil {
			return cty.NilVal, err
		}
		return re.of(found), nil
	})
}

var errNoMatch = errors.New("pattern did not match any part of the given string")

// each returns regexall: all matches of a pattern, as first does the first.
func (p *patterns) each() function.Function {
	kind := func(re pattern) cty.Type { return cty.List(re.kind()) }
	return p.function(stdlib.RegexAllFunc, kind, func(re pattern, text string) (cty.Value, error) {
		var values []cty.Value
		if re.plain != nil {
			values = lists.Map(re.plain.FindAllStringSubmatchIndex(text, -1), func(found []int) cty.Value { return re.at(text, found) })
		} else {
			all, err := re.rich.FindAll(text)
			if err != nil {
				return cty.ListValEmpty(re.kind()), err
			}
			values = lists.Map(all, re.of)
		}
		if len(values) == 0 {
			return cty.ListValEmpty(re.kind()), nil
		}
		return cty.ListVal(values), nil
	})
}

// function returns a function of a pattern and a text. What stdlib's function reports, it reports.
func (p *patterns) function(f function.Function, kind func(re pattern) cty.Type, find func(re pattern, text string) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			re := p.of(args[0])
			if re.err != nil {
				return cty.NilType, function.NewArgErrorf(0, "invalid regular expression: %w", re.err)
			}
			if re.plain == nil && re.rich == nil {
				return f.ReturnTypeForValues(args)
			}
			return kind(re), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			re := p.of(args[0])
			if re.plain == nil && re.rich == nil {
				return f.Call(args)
			}
			return find(re, args[1].AsString())
		},
	})
}

// at returns the value of a match at places in a text. A group that matched nothing is null.
func (p pattern) at(text string, places []int) cty.Value {
	found := make([]cty.Value, len(places)/2)
	for i := range found {
		found[i] = cty.NullVal(cty.String)
		if from, to := places[2*i], places[2*i+1]; from >= 0 && to >= 0 {
			found[i] = cty.StringVal(text[from:to])
		}
	}
	return matchValue(p.names(), found)
}

// of returns the value of a match of the other engine.
func (p pattern) of(found []string) cty.Value {
	return matchValue(p.names(), lists.Map(found, cty.StringVal))
}

// matchValue returns the value of a match and its groups: a text without groups, a list of the
// groups, or an object of named ones.
func matchValue(names []string, found []cty.Value) cty.Value {
	switch {
	case len(names) == 0:
		return found[0]
	case !slices.Contains(names, ""):
		values := map[string]cty.Value{}
		for i, name := range names {
			values[name] = found[i+1]
		}
		return cty.ObjectVal(values)
	}
	return cty.TupleVal(found[1:])
}

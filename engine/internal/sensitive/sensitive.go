// Package sensitive marks secret values. Operators, functions and templates pass the mark
// on to their results.
package sensitive

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Shown stands for a sensitive value wherever values are shown.
const Shown = "(sensitive)"

// mark is the type of the one mark there is.
type mark struct{}

// Mark makes a value sensitive, all of it.
func Mark(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return v
	}
	return v.Mark(mark{})
}

// Is reports whether a value, or something in it, is sensitive.
func Is(v cty.Value) bool { return v != cty.NilVal && v.HasMarkDeep(mark{}) }

// Itself reports whether the value as a whole is sensitive, so that even its number of
// elements and its keys must not be shown.
func Itself(v cty.Value) bool { return v != cty.NilVal && v.HasMark(mark{}) }

// Plain returns the value without marks, for its user, and whether it is sensitive.
func Plain(v cty.Value) (plain cty.Value, is bool) {
	if v == cty.NilVal || !v.ContainsMarked() {
		return v, false
	}
	plain, marks := v.UnmarkDeep()
	return plain, len(marks) > 0
}

// Texts lists the texts and numbers in the sensitive parts of a value.
func Texts(v cty.Value) []string { return texts(nil, v, false) }

func texts(all []string, v cty.Value, within bool) []string {
	if v == cty.NilVal {
		return all
	}
	within = within || v.HasMark(mark{})
	v, _ = v.Unmark()
	switch t := v.Type(); {
	case v.IsNull() || !v.IsKnown():
	case t == cty.String || t == cty.Number:
		if text, err := convert.Convert(v, cty.String); within && err == nil {
			all = append(all, text.AsString())
		}
	case v.CanIterateElements():
		for key, inner := range v.Elements() {
			if within && t.IsMapType() {
				all = texts(all, key, true)
			}
			all = texts(all, inner, within)
		}
	}
	return all
}

// Masked is the value as it may be shown: its sensitive parts are the text Shown.
func Masked(v cty.Value) cty.Value {
	if v == cty.NilVal || !v.ContainsMarked() {
		return v
	}
	if v.HasMark(mark{}) {
		return cty.StringVal(Shown)
	}
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	if t := v.Type(); t.IsObjectType() || t.IsMapType() {
		parts := v.AsValueMap()
		for name, part := range parts {
			parts[name] = Masked(part)
		}
		return cty.ObjectVal(parts)
	}
	if !v.CanIterateElements() {
		return v
	}
	parts := slices.Clone(v.AsValueSlice())
	for i, part := range parts {
		parts[i] = Masked(part)
	}
	return cty.TupleVal(parts)
}

// Text formats a value for people: a text unchanged, other values as JSON, sensitive parts
// as Shown. It is empty for a null or unknown value.
func Text(value cty.Value) string {
	value = Masked(value)
	if value == cty.NilVal || value.IsNull() || !value.IsWhollyKnown() {
		return ""
	}
	if value.Type() == cty.String {
		return value.AsString()
	}
	encoded, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

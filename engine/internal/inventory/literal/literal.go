// Package literal reads the literals of the Python language: numbers, strings,
// tuples, lists, dicts, sets, True, False and None. Values of Ansible's INI
// inventories are such literals, or else plain text.
//
// The syntax is that of the Python Language Reference, sections 6.2 and 2.4. Bytes,
// formatted strings and complex numbers have no counterpart in HCL, so this package does not
// read them as literals.
package literal

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// deepest is how deep lists may be nested. Python's own parser gives up about there.
const deepest = 100

// Parse returns the value of a literal, and whether the text is one. What follows a
// # is a comment. Tuples, lists and sets become tuples, dicts objects; a key that
// is no string is written as in JSON.
func Parse(text string) (value cty.Value, ok bool) {
	p := &parser{text: text}
	value, ok = p.tuple(0)
	p.space()
	if !ok || p.text != "" {
		return cty.NilVal, false
	}
	return value, true
}

// take skips spaces and then a mark, if it is there.
func (p *parser) take(mark string) bool {
	p.space()
	rest, found := strings.CutPrefix(p.text, mark)
	p.text = rest
	return found
}

// tuple reads one value, or several with commas between, which make a tuple.
func (p *parser) tuple(depth int) (cty.Value, bool) {
	first, ok := p.value(depth)
	if !ok || !p.take(",") {
		return first, ok
	}
	values := []cty.Value{first}
	for p.space(); p.text != "" && p.text[0] != ')'; p.space() {
		next, ok := p.value(depth)
		if !ok {
			return cty.NilVal, false
		}
		values = append(values, next)
		if !p.take(",") {
			break
		}
	}
	return cty.TupleVal(values), true
}

func (p *parser) value(depth int) (cty.Value, bool) {
	if depth > deepest {
		return cty.NilVal, false
	}
	switch {
	case p.take("["):
		values, ok := p.list("]", depth+1)
		return cty.TupleVal(values), ok
	case p.take("("):
		if p.take(")") {
			return cty.EmptyTupleVal, true
		}
		value, ok := p.tuple(depth + 1)
		return value, ok && p.take(")")
	case p.take("{"):
		return p.braces(depth + 1)
	case p.isString():
		return p.strings()
	}
	return p.word()
}

// list reads values up to a closing mark. A comma may follow the last.
func (p *parser) list(closing string, depth int) ([]cty.Value, bool) {
	var values []cty.Value
	for !p.take(closing) {
		value, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		values = append(values, value)
		if !p.take(",") {
			return values, p.take(closing)
		}
	}
	return values, true
}

// braces reads a dict or a set.
func (p *parser) braces(depth int) (cty.Value, bool) {
	if p.take("}") {
		return cty.EmptyObjectVal, true
	}
	first, ok := p.value(depth)
	if !ok {
		return cty.NilVal, false
	}
	if p.take(":") {
		return p.dict(first, depth)
	}
	if !p.take(",") {
		return cty.TupleVal([]cty.Value{first}), p.take("}")
	}
	more, ok := p.list("}", depth)
	return cty.TupleVal(distinct(append([]cty.Value{first}, more...))), ok
}

func distinct(values []cty.Value) []cty.Value {
	var out []cty.Value
	for _, value := range values {
		if !slices.ContainsFunc(out, value.RawEquals) {
			out = append(out, value)
		}
	}
	return out
}

// dict reads what follows the colon of the first key. The last value of a key
// counts.
func (p *parser) dict(key cty.Value, depth int) (cty.Value, bool) {
	attributes := map[string]cty.Value{}
	for {
		name, isKey := KeyText(key)
		value, ok := p.value(depth)
		if !isKey || !ok {
			return cty.NilVal, false
		}
		attributes[name] = value
		if !p.take(",") {
			return cty.ObjectVal(attributes), p.take("}")
		}
		if p.take("}") {
			return cty.ObjectVal(attributes), true
		}
		if key, ok = p.value(depth); !ok || !p.take(":") {
			return cty.NilVal, false
		}
	}
}

// KeyText is a key as JSON writes it. Lists and dicts are no keys.
func KeyText(key cty.Value) (text string, ok bool) {
	switch {
	case key.IsNull():
		return "null", true
	case key.Type() == cty.String:
		return key.AsString(), true
	case key.Type() == cty.Bool:
		return strconv.FormatBool(key.True()), true
	case key.Type() == cty.Number:
		return key.AsBigFloat().Text('f', -1), true
	}
	return "", false
}

// word reads a constant or a number.
func (p *parser) word() (cty.Value, bool) {
	length := 0
	for length < len(p.text) && isWord(p.text, length) {
		length++
	}
	word := p.text[:length]
	p.text = p.text[length:]
	switch word {
	case "True":
		return cty.True, true
	case "False":
		return cty.False, true
	case "None":
		return cty.NullVal(cty.DynamicPseudoType), true
	case "-", "+": // a sign may stand apart
		p.space()
		if p.text != "" && (isDigit(p.text[0]) || p.text[0] == '.') {
			value, ok := p.word()
			if ok && word == "-" {
				value = negative(value)
			}
			return value, ok
		}
	}
	return Number(word)
}

// isWord reports whether the byte at i belongs to a word that began before it. Signs
// do at its beginning and in an exponent.
func isWord(text string, i int) bool {
	c := text[i]
	if c == '+' || c == '-' {
		exponent := i > 0 && (text[i-1] == 'e' || text[i-1] == 'E') && !strings.HasPrefix(strings.TrimLeft(strings.ToLower(text), "+-"), "0x")
		return i == 0 || exponent
	}
	return c == '_' || c == '.' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Number reads a number, which may have a sign before it and underscores between
// its digits.
func Number(text string) (cty.Value, bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == text {
		digits = strings.TrimPrefix(text, "+")
	}
	if digits == "" || !isDigit(digits[0]) && digits[0] != '.' {
		return cty.NilVal, false
	}
	value, ok := whole(digits)
	if !ok {
		value, ok = fraction(digits)
	}
	if ok && text[0] == '-' {
		value = negative(value)
	}
	return value, ok
}

// negative is the number with the other sign. There is no zero with a sign.
func negative(value cty.Value) cty.Value {
	if value.RawEquals(cty.Zero) {
		return value
	}
	return value.Negate()
}

// whole reads an integer in any base. A decimal one has no zeros before it.
func whole(digits string) (cty.Value, bool) {
	plain := len(digits) > 1 && digits[0] == '0' && (isDigit(digits[1]) || digits[1] == '_')
	if plain && strings.Trim(digits, "0_") != "" {
		return cty.NilVal, false
	}
	if plain {
		digits = "0"
	}
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok {
		return cty.NilVal, false
	}
	return cty.NumberVal(new(big.Float).SetInt(n)), true
}

// fraction reads a number with a point or an exponent. One that is too large for a
// float is none.
func fraction(digits string) (cty.Value, bool) {
	if strings.ContainsAny(digits, "xXpPiInN") || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return cty.NilVal, false
	}
	if !strings.ContainsAny(digits, ".eE") {
		return cty.NilVal, false
	}
	clean := strings.ReplaceAll(digits, "_", "")
	if f, err := strconv.ParseFloat(clean, 64); err != nil || math.IsInf(f, 0) {
		return cty.NilVal, false
	}
	value, err := cty.ParseNumberVal(clean)
	return value, err == nil
}

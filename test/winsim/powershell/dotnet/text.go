package dotnet

import (
	"strings"
	"unicode"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func textTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.String", Aliases: []string{"string"},
			Statics:    stringStatics(),
			Values:     statics{"Empty": constant("")},
			Methods:    stringMethods(),
			Properties: methods{"Length": property(func(s string) any { return int32(value.UnitLength(s)) })},
		},
		{Name: "System.Char", Aliases: []string{"char"}},
		{Name: "System.StringComparison", Enum: enum("System.StringComparison", "CurrentCulture", "CurrentCultureIgnoreCase", "InvariantCulture", "InvariantCultureIgnoreCase", "Ordinal", "OrdinalIgnoreCase")},
		{Name: "System.Globalization.CultureInfo", Aliases: []string{"cultureinfo"}, Values: statics{
			"InvariantCulture": constant(value.NewObject("System.Globalization.CultureInfo", value.P("Name", ""))),
		}},
	}
}

func enum(typeName string, names ...string) *value.EnumType {
	e := value.Of(typeName, names...)
	return &e
}

func stringStatics() statics {
	return statics{
		"Join": static("Join", 2, 16, joinStrings),
	}
}

func joinStrings(c call) (any, error) {
	if len(c.args) == 2 {
		return value.Join(value.NewArray(value.Each(c.args[1])...), c.str(0)), nil
	}
	return value.Join(value.NewArray(c.args[1:]...), c.str(0)), nil
}

// ignoresCase reports whether an argument, if it is there, says that case does not matter.
func ignoresCase(c call, i int) bool {
	if i >= len(c.args) {
		return false
	}
	if b, ok := value.Base(c.args[i]).(bool); ok {
		return b
	}
	return strings.HasSuffix(strings.ToLower(c.str(i)), "ignorecase")
}

// self is the text that a method was called on.
func (c call) text() string { return value.String(c.self) }

func stringMethods() methods {
	return methods{
		"ToUpper":          method("ToUpper", 0, 0, func(c call) (any, error) { return strings.ToUpper(c.text()), nil }),
		"ToUpperInvariant": method("ToUpperInvariant", 0, 0, func(c call) (any, error) { return strings.ToUpper(c.text()), nil }),
		"ToLowerInvariant": method("ToLowerInvariant", 0, 0, func(c call) (any, error) { return strings.ToLower(c.text()), nil }),
		"Trim":             method("Trim", 0, 8, func(c call) (any, error) { return trim(c, true, true), nil }),
		"StartsWith":       method("StartsWith", 1, 2, func(c call) (any, error) { return affix(c, strings.HasPrefix), nil }),
		"EndsWith":         method("EndsWith", 1, 2, func(c call) (any, error) { return affix(c, strings.HasSuffix), nil }),
		"Contains":         method("Contains", 1, 1, func(c call) (any, error) { return strings.Contains(c.text(), c.str(0)), nil }),
		"Substring":        method("Substring", 1, 2, substring),
		"Replace":          method("Replace", 2, 2, replaceText),
		"Split":            method("Split", 1, 1, splitText),
	}
}

// charsOf are the characters that arguments name: characters, texts or arrays of them.
func charsOf(args []any) string {
	var b strings.Builder
	for _, arg := range args {
		for _, item := range value.Each(arg) {
			b.WriteString(value.String(item))
		}
	}
	return b.String()
}

func trim(c call, start, end bool) string {
	text := c.text()
	cut := unicode.IsSpace
	if chars := charsOf(c.args); chars != "" {
		cut = func(r rune) bool { return strings.ContainsRune(chars, r) }
	}
	if start {
		text = strings.TrimLeftFunc(text, cut)
	}
	if end {
		text = strings.TrimRightFunc(text, cut)
	}
	return text
}

func affix(c call, has func(text, part string) bool) bool {
	text, part := c.text(), c.str(0)
	if ignoresCase(c, 1) {
		text, part = strings.ToLower(text), strings.ToLower(part)
	}
	return has(text, part)
}

func rangeError(message, parameter string) error {
	return value.NewException("System.ArgumentOutOfRangeException", message+"\r\nParameter name: "+parameter)
}

func substring(c call) (any, error) {
	units := value.Units(c.text())
	start := c.num(0)
	if start < 0 {
		return nil, rangeError("StartIndex cannot be less than zero.", "startIndex")
	}
	if start > len(units) {
		return nil, rangeError("startIndex cannot be larger than length of string.", "startIndex")
	}
	length := len(units) - start
	if len(c.args) == 2 {
		length = c.num(1)
	}
	if length < 0 {
		return nil, rangeError("Length cannot be less than zero.", "length")
	}
	if start+length > len(units) {
		return nil, rangeError("Index and length must refer to a location within the string.", "length")
	}
	return value.FromUnits(units[start : start+length]), nil
}

func replaceText(c call) (any, error) {
	if c.str(0) == "" {
		return nil, value.NewException("System.ArgumentException", "String cannot be of zero length.\r\nParameter name: oldValue")
	}
	return strings.ReplaceAll(c.text(), c.str(0), c.str(1)), nil
}

// splitText is String.Split, which in .NET Framework takes characters: a text of several is several separators.
func splitText(c call) (any, error) {
	var chars []string
	for _, r := range charsOf(c.args) {
		chars = append(chars, string(r))
	}
	text, out := c.text(), &value.Array{Elem: "System.String"}
	for at, length := firstOf(text, chars); at >= 0; at, length = firstOf(text, chars) {
		out.Items = append(out.Items, text[:at])
		text = text[at+length:]
	}
	out.Items = append(out.Items, text)
	return out, nil
}

// firstOf is where the first separator is, and its length; blanks where there are none.
func firstOf(text string, separators []string) (int, int) {
	if len(separators) == 0 {
		at := strings.IndexFunc(text, unicode.IsSpace)
		return at, 1
	}
	best, length := -1, 0
	for _, each := range separators {
		if at := strings.Index(text, each); each != "" && at >= 0 && (best < 0 || at < best) {
			best, length = at, len(each)
		}
	}
	return best, length
}

package dotnet

import (
	"strings"
	"unicode"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func textTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.String", Aliases: []string{"string"}, New: static("String", 1, 3, newString),
			Statics:    stringStatics(),
			Values:     statics{"Empty": constant("")},
			Methods:    stringMethods(),
			Properties: methods{"Length": property(func(s string) any { return int32(value.UnitLength(s)) })},
		},
		{Name: "System.Char", Aliases: []string{"char"}, Statics: statics{
			"IsDigit":         charTest("IsDigit", unicode.IsDigit),
			"IsLetter":        charTest("IsLetter", unicode.IsLetter),
			"IsLetterOrDigit": charTest("IsLetterOrDigit", func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
			"IsWhiteSpace":    charTest("IsWhiteSpace", unicode.IsSpace),
			"IsUpper":         charTest("IsUpper", unicode.IsUpper),
		}},
		{Name: "System.StringComparison", Enum: enum("System.StringComparison", "CurrentCulture", "CurrentCultureIgnoreCase", "InvariantCulture", "InvariantCultureIgnoreCase", "Ordinal", "OrdinalIgnoreCase")},
		{Name: "System.StringSplitOptions", Enum: enum("System.StringSplitOptions", "None", "RemoveEmptyEntries")},
		{Name: "System.Globalization.CultureInfo", Aliases: []string{"cultureinfo"}, Values: statics{
			"InvariantCulture": constant(value.NewObject("System.Globalization.CultureInfo", value.P("Name", ""))),
		}},
		{Name: "System.Text.StringBuilder", New: static("StringBuilder", 0, 1, newBuilder)},
	}
}

func enum(typeName string, names ...string) *value.EnumType {
	e := value.Of(typeName, names...)
	return &e
}

func charTest(name string, test func(r rune) bool) interp.Func {
	return static(name, 1, 1, func(c call) (any, error) {
		char, _ := c.to(0, "System.Char").(value.Char)
		return test(rune(char)), nil
	})
}

func newString(c call) (any, error) {
	if len(c.args) == 2 {
		return strings.Repeat(c.str(0), c.num(1)), nil
	}
	var b []uint16
	for _, item := range value.Each(c.args[0]) {
		char, ok := value.Base(item).(value.Char)
		if !ok || len(c.args) != 1 {
			return nil, unknown.New("the constructor of [string] with these arguments")
		}
		b = append(b, uint16(char))
	}
	return value.FromUnits(b), nil
}

func stringStatics() statics {
	return statics{
		"IsNullOrEmpty": static("IsNullOrEmpty", 1, 1, func(c call) (any, error) {
			return c.str(0) == "" || value.TypeName(c.args[0]) == nullString, nil
		}),
		"IsNullOrWhiteSpace": static("IsNullOrWhiteSpace", 1, 1, func(c call) (any, error) { return strings.TrimSpace(c.str(0)) == "", nil }),
		"Join":               static("Join", 2, 16, joinStrings),
		"Format":             static("Format", 1, 16, formatString),
		"Concat":             static("Concat", 1, 4, concat),
		"Equals":             static("Equals", 2, 3, equalStrings),
		"Compare":            static("Compare", 2, 3, compareStrings),
		"CompareOrdinal":     static("CompareOrdinal", 2, 2, func(c call) (any, error) { return int32(strings.Compare(c.str(0), c.str(1))), nil }),
	}
}

func joinStrings(c call) (any, error) {
	if len(c.args) == 2 {
		return value.Join(value.NewArray(value.Each(c.args[1])...), c.str(0)), nil
	}
	return value.Join(value.NewArray(c.args[1:]...), c.str(0)), nil
}

func formatString(c call) (any, error) {
	args := c.args[1:]
	if len(args) == 1 {
		if items, ok := value.Items(args[0]); ok {
			args = items
		}
	}
	return value.Format(c.str(0), args)
}

func concat(c call) (any, error) {
	if len(c.args) == 1 {
		return value.Join(value.NewArray(value.Each(c.args[0])...), ""), nil
	}
	return value.Join(value.NewArray(c.args...), ""), nil
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

func equalStrings(c call) (any, error) {
	if ignoresCase(c, 2) {
		return strings.EqualFold(c.str(0), c.str(1)), nil
	}
	return c.str(0) == c.str(1), nil
}

func compareStrings(c call) (any, error) {
	if len(c.args) == 3 && strings.HasPrefix(strings.ToLower(c.str(2)), "ordinal") {
		a, b := c.str(0), c.str(1)
		if ignoresCase(c, 2) {
			a, b = strings.ToUpper(a), strings.ToUpper(b)
		}
		return int32(strings.Compare(a, b)), nil
	}
	return int32(value.CompareText(c.str(0), c.str(1), !ignoresCase(c, 2))), nil
}

// self is the text that a method was called on.
func (c call) text() string { return value.String(c.self) }

func stringMethods() methods {
	return methods{
		"ToUpper":          method("ToUpper", 0, 0, func(c call) (any, error) { return strings.ToUpper(c.text()), nil }),
		"ToLower":          method("ToLower", 0, 0, func(c call) (any, error) { return strings.ToLower(c.text()), nil }),
		"ToUpperInvariant": method("ToUpperInvariant", 0, 0, func(c call) (any, error) { return strings.ToUpper(c.text()), nil }),
		"ToLowerInvariant": method("ToLowerInvariant", 0, 0, func(c call) (any, error) { return strings.ToLower(c.text()), nil }),
		"Trim":             method("Trim", 0, 8, func(c call) (any, error) { return trim(c, true, true), nil }),
		"TrimStart":        method("TrimStart", 0, 8, func(c call) (any, error) { return trim(c, true, false), nil }),
		"TrimEnd":          method("TrimEnd", 0, 8, func(c call) (any, error) { return trim(c, false, true), nil }),
		"StartsWith":       method("StartsWith", 1, 2, func(c call) (any, error) { return affix(c, strings.HasPrefix), nil }),
		"EndsWith":         method("EndsWith", 1, 2, func(c call) (any, error) { return affix(c, strings.HasSuffix), nil }),
		"Contains":         method("Contains", 1, 1, func(c call) (any, error) { return strings.Contains(c.text(), c.str(0)), nil }),
		"IndexOf":          method("IndexOf", 1, 2, indexOf),
		"LastIndexOf":      method("LastIndexOf", 1, 1, lastIndexOf),
		"IndexOfAny":       method("IndexOfAny", 1, 1, func(c call) (any, error) { return offset(c.text(), strings.IndexAny(c.text(), charsOf(c.args))), nil }),
		"Substring":        method("Substring", 1, 2, substring),
		"Replace":          method("Replace", 2, 2, replaceText),
		"Split":            method("Split", 0, 16, splitText),
		"PadLeft":          method("PadLeft", 1, 2, func(c call) (any, error) { return padding(c) + c.text(), nil }),
		"PadRight":         method("PadRight", 1, 2, func(c call) (any, error) { return c.text() + padding(c), nil }),
		"Insert":           method("Insert", 2, 2, insert),
		"Remove":           method("Remove", 1, 2, remove),
		"ToCharArray":      method("ToCharArray", 0, 0, func(c call) (any, error) { return value.Convert(c.self, "System.Char[]") }),
		"Equals":           method("Equals", 1, 2, equalsText),
		"GetHashCode":      method("GetHashCode", 0, 0, func(call) (any, error) { return nil, unknown.New("GetHashCode") }),
	}
}

func equalsText(c call) (any, error) {
	if ignoresCase(c, 1) {
		return strings.EqualFold(c.text(), c.str(0)), nil
	}
	other, ok := value.Base(c.args[0]).(string)
	return ok && other == c.text(), nil
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

// offset is an index in bytes as one in UTF-16 units.
func offset(text string, index int) any {
	if index < 0 {
		return int32(-1)
	}
	return int32(value.UnitOffset(text, index))
}

func indexOf(c call) (any, error) {
	text := c.text()
	if len(c.args) == 1 {
		return offset(text, strings.Index(text, c.str(0))), nil
	}
	if _, number := value.Integer(value.Base(c.args[1])); !number {
		if ignoresCase(c, 1) {
			return offset(text, strings.Index(strings.ToLower(text), strings.ToLower(c.str(0)))), nil
		}
		return offset(text, strings.Index(text, c.str(0))), nil
	}
	units := value.Units(text)
	start := c.num(1)
	if start < 0 || start > len(units) {
		return nil, rangeError("Index was out of range. Must be non-negative and less than the size of the collection.", "startIndex")
	}
	rest := value.FromUnits(units[start:])
	found := strings.Index(rest, c.str(0))
	if found < 0 {
		return int32(-1), nil
	}
	return int32(start + value.UnitOffset(rest, found)), nil
}

func lastIndexOf(c call) (any, error) {
	return offset(c.text(), strings.LastIndex(c.text(), c.str(0))), nil
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

// splitText is String.Split, which in .NET Framework takes characters: a text of
// several is several separators, unless options follow an array of texts.
func splitText(c call) (any, error) {
	args, dropEmpty, most := c.args, false, -1
	if n := len(args); n > 1 {
		if e, ok := value.Base(args[n-1]).(value.Enum); ok && e.Type == "System.StringSplitOptions" {
			dropEmpty, args = e.Number == 1, args[:n-1]
		} else if value.String(args[n-1]) == "RemoveEmptyEntries" {
			dropEmpty, args = true, args[:n-1]
		}
	}
	if n := len(args); n == 2 {
		if count, ok := value.Integer(value.Base(args[1])); ok {
			most, args = int(count), args[:1]
		}
	}
	texts, isTexts := separators(args, len(args) != len(c.args) || most >= 0)
	return cut(c.text(), texts, isTexts, dropEmpty, most)
}

// separators are what a text is cut at, and whether they are whole texts.
func separators(args []any, options bool) ([]string, bool) {
	if len(args) == 1 && options {
		if a, ok := value.Base(args[0]).(*value.Array); ok && a.Elem != "System.Char" {
			var texts []string
			for _, item := range a.Items {
				texts = append(texts, value.String(item))
			}
			return texts, true
		}
	}
	var chars []string
	for _, r := range charsOf(args) {
		chars = append(chars, string(r))
	}
	return chars, false
}

func cut(text string, separators []string, _ bool, dropEmpty bool, most int) (any, error) {
	out := &value.Array{Elem: "System.String"}
	add := func(piece string) {
		if piece != "" || !dropEmpty {
			out.Items = append(out.Items, piece)
		}
	}
	for most < 0 || len(out.Items) < most-1 {
		at, length := firstOf(text, separators)
		if at < 0 {
			break
		}
		add(text[:at])
		text = text[at+length:]
	}
	add(text)
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

func padding(c call) string {
	char := " "
	if len(c.args) == 2 {
		char = c.str(1)
	}
	return strings.Repeat(char, max(0, c.num(0)-value.UnitLength(c.text())))
}

func insert(c call) (any, error) {
	units := value.Units(c.text())
	at := c.num(0)
	if at < 0 || at > len(units) {
		return nil, rangeError("Specified argument was out of the range of valid values.", "startIndex")
	}
	return value.FromUnits(units[:at]) + c.str(1) + value.FromUnits(units[at:]), nil
}

func remove(c call) (any, error) {
	units := value.Units(c.text())
	at, length := c.num(0), len(units)-c.num(0)
	if len(c.args) == 2 {
		length = c.num(1)
	}
	if at < 0 || length < 0 || at+length > len(units) {
		return nil, rangeError("Index and count must refer to a location within the string.", "count")
	}
	return value.FromUnits(units[:at]) + value.FromUnits(units[at+length:]), nil
}

// newBuilder is a StringBuilder. Its methods return itself.
func newBuilder(c call) (any, error) {
	var b strings.Builder
	if len(c.args) == 1 {
		if _, number := value.Integer(value.Base(c.args[0])); !number {
			b.WriteString(c.str(0))
		}
	}
	o := value.NewObject("System.Text.StringBuilder")
	o.Text = b.String
	o.Add(&value.Property{Name: "Length", Get: func() (any, error) { return int32(value.UnitLength(b.String())), nil }})
	appendTo := func(name string, least int, write func(c call)) {
		m := method(name, least, 4, func(c call) (any, error) {
			write(c)
			return o, nil
		})
		bind(o, name, m)
	}
	appendTo("Append", 1, func(c call) { b.WriteString(c.str(0)) })
	appendTo("AppendLine", 0, func(c call) { b.WriteString(charsOf(c.args) + "\r\n") })
	appendTo("Clear", 0, func(call) { b.Reset() })
	bind(o, "ToString", method("ToString", 0, 0, func(call) (any, error) { return b.String(), nil }))
	return o, nil
}

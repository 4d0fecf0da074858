package bounds

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Functions adds limits to the functions, by name, that can make large results of small
// arguments.
func Functions(all map[string]function.Function) {
	for name, check := range map[string]func(args []cty.Value) error{
		"setproduct": product, "format": formatted, "formatlist": formatted, "join": joined, "replace": ofTexts(3, replaced),
		"indent": indented, "split": ofTexts(2, parted), "regex": ofTexts(2, matched), "regexall": ofTexts(2, matched),
		"jsonencode": whole, "yamlencode": whole, "flatten": whole, "concat": together, "merge": together, "setunion": together,
		"jsondecode": ofTexts(1, decoded), "yamldecode": ofTexts(1, yamlDecoded), "parseint": ofFirst(digits), "tonumber": ofFirst(digits), "tostring": whole,
	} {
		if f, ok := all[name]; ok {
			all[name] = limited(f, check)
		}
	}
}

// limited returns a function that checks its arguments when its type is computed, which is
// before each call.
func limited(f function.Function, check func(args []cty.Value) error) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(), Params: f.Params(), VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			plain := make([]cty.Value, len(args))
			for i, arg := range args {
				plain[i], _ = arg.Unmark()
			}
			if err := check(plain); err != nil {
				return cty.NilType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			value, err := f.Call(args)
			if err == nil && value.Type() == cty.Number && value.IsKnown() {
				err = Size(value)
			}
			return value, err
		},
	})
}

// elementsOf returns the number of elements of a known collection, and 1 for other values.
func elementsOf(value cty.Value) int {
	if !value.IsKnown() || value.IsNull() || !value.CanIterateElements() {
		return 1
	}
	return value.LengthInt()
}

// product rejects collections with too many combinations.
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

// joined rejects texts that would be too long together.
func joined(args []cty.Value) error {
	between, ok := first(args)
	if !ok {
		return nil
	}
	s, count := &size{}, 0
	for _, list := range args[1:] {
		s.add(list)
		count += elementsOf(list)
	}
	return tooLong(s.bytes + count*len(between))
}

// replaced rejects replacements that would make too long a text.
func replaced(all []string) error {
	text, old, new := all[0], all[1], all[2]
	if len(old) < 2 || old[0] != '/' || old[len(old)-1] != '/' {
		return tooLong(len(text) + strings.Count(text, old)*len(new))
	}
	pattern := old[1 : len(old)-1]
	if len(pattern) > mostPattern || len(pattern)*len(text) > mostSteps {
		return searched(pattern, text)
	}
	again := strings.Count(new, "$") * len(text) // the most that a name in the new text inserts
	most := len(text) + 1
	if (len(text)+1)*len(new)+again+len(text) > MostBytes {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil // the function reports the error
		}
		most = len(re.FindAllStringIndex(text, min(MostBytes/max(len(new), 1)+1, mostElements)))
	}
	return tooLong(len(text) + most*len(new) + again)
}

// indented rejects too many spaces at the beginning of a line.
func indented(args []cty.Value) error {
	if len(args) < 2 || !args[0].IsKnown() || args[0].IsNull() || args[0].Type() != cty.Number {
		return nil
	}
	if n, _ := args[0].AsBigFloat().Float64(); n > mostWidth {
		return fmt.Errorf("more than %d spaces cannot be meant", mostWidth)
	} else if all, ok := texts(args[1:]); ok && n > 0 {
		return tooLong(len(all[0]) + strings.Count(all[0], "\n")*int(n))
	}
	return nil
}

func tooLong(bytes int) error {
	if bytes > MostBytes {
		return fmt.Errorf("this makes a text of up to %d MiB, and more than %d MiB cannot be meant", bytes>>20, MostBytes>>20)
	}
	return nil
}

// texts returns the arguments, if all of them are known texts.
func texts(args []cty.Value) ([]string, bool) {
	all := make([]string, len(args))
	for i, arg := range args {
		if !arg.IsKnown() || arg.IsNull() || arg.Type() != cty.String {
			return nil, false
		}
		all[i] = arg.AsString()
	}
	return all, true
}

// ofTexts returns a check of at least so many arguments, all of them known texts.
func ofTexts(least int, check func(all []string) error) func(args []cty.Value) error {
	return func(args []cty.Value) error {
		if all, ok := texts(args); ok && len(all) >= least {
			return check(all)
		}
		return nil
	}
}

// ofFirst returns a check of the first argument, if it is a known text.
func ofFirst(check func(text string) error) func(args []cty.Value) error {
	return func(args []cty.Value) error {
		if text, ok := first(args); ok {
			return check(text)
		}
		return nil
	}
}

// first returns the first argument, if it is a known text.
func first(args []cty.Value) (string, bool) {
	all, ok := texts(args[:min(1, len(args))])
	if !ok || len(all) == 0 {
		return "", false
	}
	return all[0], true
}

// formatted rejects texts that a format would make too long: each verb may print the
// longest of the values.
func formatted(args []cty.Value) error {
	text, ok := first(args)
	if !ok {
		return nil
	}
	for _, match := range verb.FindAllStringSubmatch(text, -1) {
		for _, digits := range match[1:] {
			if n, err := strconv.Atoi(digits); digits != "" && (err != nil || n > mostWidth) {
				return fmt.Errorf("the width of %q is more than %d, and no such text can be meant", match[0], mostWidth)
			}
		}
	}
	longest, rows := 0, 1
	for _, arg := range args[1:] {
		s := &size{}
		s.add(arg)
		if s.vast {
			return fmt.Errorf("a number has more than %d binary digits, and no such number can be meant", mostDigits)
		}
		longest, rows = max(longest, s.bytes), max(rows, elementsOf(arg))
	}
	if verbs := strings.Count(text, "%"); verbs > 1 && verbs*longest > MostBytes {
		return tooLong(len(text) + verbs*longest)
	}
	return tooLong(rows * len(text))
}

// whole rejects values that are too large to write out.
func whole(args []cty.Value) error {
	for _, arg := range args {
		if err := Size(arg); err != nil {
			return err
		}
	}
	return nil
}

// together rejects collections with too many elements in total.
func together(args []cty.Value) error {
	total := 0
	for _, arg := range args {
		if total += elementsOf(arg); total > mostElements {
			return fmt.Errorf("this makes more than %d elements, and no such value can be meant", mostElements)
		}
	}
	return nil
}

// parted rejects texts with too many parts.
func parted(all []string) error {
	if n := strings.Count(all[1], all[0]); n > mostElements {
		return fmt.Errorf("this makes %d parts, and more than %d cannot be meant", n, mostElements)
	}
	return nil
}

// matched rejects searches that take long or find too much.
func matched(all []string) error { return searched(all[0], all[1]) }

func searched(pattern, text string) error {
	if len(pattern) > mostPattern {
		return fmt.Errorf("a regular expression of more than %d KiB cannot be meant", mostPattern>>10)
	}
	if len(pattern)*len(text) > mostSteps || len(text) > MostBytes {
		return fmt.Errorf("a search for an expression of %d bytes in a text of %d MiB cannot be meant", len(pattern), len(text)>>20)
	}
	if len(text) < mostElements {
		return nil
	}
	if re, err := regexp.Compile(pattern); err == nil && len(re.FindAllStringIndex(text, mostElements)) == mostElements {
		return fmt.Errorf("it is found more than %d times, and no such value can be meant", mostElements)
	}
	return nil
}

// decoded rejects JSON and YAML with too many elements, or too deep ones.
func decoded(all []string) error {
	depth, deepest := 0, 0
	for i := 0; i < len(all[0]); i++ {
		switch all[0][i] {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	if deepest > mostDepth {
		return fmt.Errorf("more than %d values in each other cannot be meant", mostDepth)
	}
	if parts := strings.Count(all[0], ",") + strings.Count(all[0], "\n"); parts > mostElements {
		return fmt.Errorf("more than %d values cannot be meant", mostElements)
	}
	return vastText(all[0])
}

// power matches a number with an exponent. Next to other digits and letters it belongs to
// something else, such as a checksum, and in quotes it is a text.
var power = regexp.MustCompile(`(?:^|[^0-9A-Za-z_."'])[0-9]*\.?[0-9]+[eE][+]?[0-9]{5,}(?:$|[^0-9A-Za-z_."'])`)

// vastText rejects numbers with too many digits.
func vastText(text string) error {
	if power.MatchString(text) {
		return fmt.Errorf("a number with an exponent of five digits or more cannot be meant")
	}
	return nil
}

// digits rejects texts of numbers with too many digits.
func digits(text string) error {
	if len(text) > mostDigits {
		return fmt.Errorf("a number of more than %d digits cannot be meant", mostDigits)
	}
	return vastText(text)
}

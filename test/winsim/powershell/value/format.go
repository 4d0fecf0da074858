package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kinit/test/winsim/powershell/unknown"
)

// Format is a composite format of .NET, as -f and [string]::Format have it.
func Format(format string, args []any) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		c := format[i]
		if (c == '{' || c == '}') && i+1 < len(format) && format[i+1] == c {
			b.WriteByte(c)
			i++
			continue
		}
		if c == '}' {
			return "", formatError("Input string was not in a correct format.")
		}
		if c != '{' {
			b.WriteByte(c)
			continue
		}
		length := strings.IndexByte(format[i:], '}')
		if length < 0 {
			return "", formatError("Input string was not in a correct format.")
		}
		text, err := formatItem(format[i+1:i+length], args)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		i += length
	}
	return b.String(), nil
}

func formatError(message string) error {
	e := NewException("System.Management.Automation.RuntimeException", "Error formatting a string: "+message+".")
	e.Inner = NewException("System.FormatException", message)
	e.Extra = []*Property{P("ErrorId", "FormatError")}
	return e
}

// formatItem is the text of index[,width][:format].
func formatItem(item string, args []any) (string, error) {
	head, spec, _ := strings.Cut(item, ":")
	number, width, aligned := strings.Cut(head, ",")
	index, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || index < 0 {
		return "", formatError("Input string was not in a correct format.")
	}
	if index >= len(args) {
		return "", formatError("Index (zero based) must be greater than or equal to zero and less than the size of the argument list.")
	}
	text, err := FormatOne(args[index], spec)
	if err != nil || !aligned {
		return text, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(width))
	if err != nil {
		return "", formatError("Input string was not in a correct format.")
	}
	return pad(text, n), nil
}

// pad is a text in a field, to the right unless the width is negative.
func pad(text string, width int) string {
	blanks := strings.Repeat(" ", max(0, int(math.Abs(float64(width)))-UnitLength(text)))
	if width < 0 {
		return text + blanks
	}
	return blanks + text
}

// FormatOne is a value in a format, or as ToString() writes it for an empty one.
func FormatOne(v any, spec string) (string, error) {
	switch b := Base(v).(type) {
	case *Array, *Bytes, *List:
		return TypeName(b), nil
	case DateTime:
		return b.Format(spec)
	case Enum:
		switch spec {
		case "d", "D":
			return strconv.FormatInt(b.Number, 10), nil
		case "", "g", "G":
			return b.Name, nil
		}
		return "", unknown.New("the format %q of enumerations", spec)
	case TimeSpan:
		if spec != "" && spec != "c" {
			return "", unknown.New("the format %q of time spans", spec)
		}
	case GUID:
		return formatGUID(b, spec)
	}
	if spec == "" || !IsNumber(Base(v)) {
		return Local(v), nil
	}
	return formatNumber(Base(v), spec)
}

func formatGUID(g GUID, spec string) (string, error) {
	switch spec {
	case "", "d", "D":
		return g.String(), nil
	case "n", "N":
		return strings.ReplaceAll(g.String(), "-", ""), nil
	case "b", "B":
		return "{" + g.String() + "}", nil
	}
	return "", unknown.New("the format %q of GUIDs", spec)
}

func formatNumber(v any, spec string) (string, error) {
	if strings.Trim(spec, "0.") == "" {
		return customNumber(v, spec)
	}
	digits := -1
	if len(spec) > 1 {
		n, err := strconv.Atoi(spec[1:])
		if err != nil || n > 99 {
			return "", unknown.New("the format %q of numbers", spec)
		}
		digits = n
	}
	f, _ := toFloat(v)
	n, whole := Integer(v)
	switch c := spec[0]; {
	case (c == 'd' || c == 'D') && whole:
		return padInteger(n, digits), nil
	case (c == 'x' || c == 'X') && whole:
		return hexText(v, c == 'X', digits), nil
	case c == 'n' || c == 'N':
		return grouped(fixed(f, orDefault(digits, 2))), nil
	case c == 'f' || c == 'F':
		return fixed(f, orDefault(digits, 2)), nil
	case (c == 'g' || c == 'G') && digits < 0:
		return Local(v), nil
	case (c == 'p' || c == 'P'):
		return grouped(fixed(f*100, orDefault(digits, 2))) + " %", nil
	}
	return "", unknown.New("the format %q of %s", spec, TypeName(v))
}

func orDefault(n, usual int) int {
	if n < 0 {
		return usual
	}
	return n
}

func padInteger(n int64, digits int) string {
	if n < 0 {
		return fmt.Sprintf("-%0*d", max(1, digits), -n)
	}
	return fmt.Sprintf("%0*d", max(1, digits), n)
}

func hexText(v any, upper bool, digits int) string {
	var bits uint64
	switch n := v.(type) {
	case int32:
		bits = uint64(uint32(n))
	case int16:
		bits = uint64(uint16(n))
	case uint64:
		bits = n
	default:
		wide, _ := Integer(v)
		bits = uint64(wide)
	}
	text := fmt.Sprintf("%0*x", max(1, digits), bits)
	if upper {
		return strings.ToUpper(text)
	}
	return text
}

// fixed is a number with so many decimals, rounded half away from zero as .NET
// Framework does: from 15 significant digits.
func fixed(f float64, decimals int) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if short, err := strconv.ParseFloat(FloatText(f, 15), 64); err == nil {
		text = strconv.FormatFloat(short, 'f', -1, 64)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) <= decimals {
		return join(whole, fraction+strings.Repeat("0", decimals-len(fraction)))
	}
	up := fraction[decimals] >= '5'
	all := []byte(whole + fraction[:decimals])
	for i := len(all) - 1; up && i >= 0; i-- {
		if all[i] == '-' {
			break
		}
		up = all[i] == '9'
		if up {
			all[i] = '0'
		} else {
			all[i]++
		}
	}
	digits, minus := strings.CutPrefix(string(all), "-")
	if up {
		digits = "1" + digits
	}
	if minus && strings.Trim(digits, "0") != "" {
		digits = "-" + digits
	}
	return join(digits[:len(digits)-decimals], digits[len(digits)-decimals:])
}

func join(whole, fraction string) string {
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// grouped puts a comma between thousands.
func grouped(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	digits, minus := strings.CutPrefix(whole, "-")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if minus {
		digits = "-" + digits
	}
	return join(digits, fraction)
}

// customNumber is a format of zeros alone, such as 00 or 0.0.
func customNumber(v any, spec string) (string, error) {
	whole, fraction, _ := strings.Cut(spec, ".")
	if strings.Contains(fraction, ".") {
		return "", unknown.New("the format %q of numbers", spec)
	}
	f, _ := toFloat(v)
	text := fixed(f, len(fraction))
	digits, minus := strings.CutPrefix(text, "-")
	before, after, _ := strings.Cut(digits, ".")
	before = strings.Repeat("0", max(0, len(whole)-len(before))) + before
	if minus {
		before = "-" + before
	}
	return join(before, after), nil
}

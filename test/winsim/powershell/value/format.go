package value

import (
	"fmt"
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

// formatItem is the text of index[:format].
func formatItem(item string, args []any) (string, error) {
	head, spec, _ := strings.Cut(item, ":")
	index, err := strconv.Atoi(strings.TrimSpace(head))
	if strings.Contains(head, ",") {
		return "", unknown.New("the format %q, which has a width", item)
	}
	if err != nil || index < 0 {
		return "", formatError("Input string was not in a correct format.")
	}
	if index >= len(args) {
		return "", formatError("Index (zero based) must be greater than or equal to zero and less than the size of the argument list.")
	}
	return FormatOne(args[index], spec)
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
		switch spec {
		case "", "d", "D":
			return b.String(), nil
		case "n", "N":
			return strings.ReplaceAll(b.String(), "-", ""), nil
		}
		return "", unknown.New("the format %q of GUIDs", spec)
	}
	if spec == "" || !IsNumber(Base(v)) {
		return Local(v), nil
	}
	digits, err := strconv.Atoi(spec[1:])
	_, whole := Integer(Base(v))
	if spec[0] != 'x' || err != nil || digits > 99 || !whole {
		return "", unknown.New("the format %q of %s", spec, TypeName(v))
	}
	return hexText(Base(v), digits), nil
}

func hexText(v any, digits int) string {
	wide, _ := Integer(v)
	bits := uint64(wide)
	switch n := v.(type) {
	case int32:
		bits = uint64(uint32(n))
	case int16:
		bits = uint64(uint16(n))
	}
	return fmt.Sprintf("%0*x", digits, bits)
}

package value

import (
	"math"
	"strconv"
	"strings"
)

// String is a value as text, as in "$value" and in casts to [string]: dates and numbers
// in the invariant culture.
func String(v any) string { return text(v, false) }

// Local is a value as text as its ToString() and the host write it: dates in the culture
// of the machine, which is en-US.
func Local(v any) string { return text(v, true) }

func text(v any, local bool) string {
	if o, ok := v.(*Object); ok && o.Base == nil {
		return o.text()
	}
	switch v := Base(v).(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return boolText(v)
	case Switch:
		return boolText(bool(v))
	case Char:
		return FromUnits([]uint16{uint16(v)})
	case float64:
		return FloatText(v, 15)
	case DateTime:
		if local {
			return v.Local()
		}
		return v.Invariant()
	case TimeSpan:
		return v.String()
	case GUID:
		return v.String()
	case Version:
		return string(v)
	case *Regex:
		return v.Pattern
	case Enum:
		return v.Name
	case Type:
		return TypeDisplay(v.Name)
	case ScriptBlock:
		return v.Source()
	case *Exception:
		return v.Type + ": " + v.Message
	case *ErrorRecord:
		return v.Message()
	case *Hashtable:
		return v.typeName()
	case *Array, *Bytes, *List:
		return Join(v, " ")
	case *Object:
		return v.text()
	}
	n, _ := Integer(Base(v))
	if u, ok := Base(v).(uint64); ok {
		return strconv.FormatUint(u, 10)
	}
	return strconv.FormatInt(n, 10)
}

// TypeDisplay is a type as text: System.Int32 is "int" there, since casts of a type to
// text give the name as ToString does.
func TypeDisplay(name string) string { return name }

func boolText(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// Join is the elements of an array as text with a separator between.
func Join(v any, separator string) string {
	items, _ := Items(v)
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = String(item)
		if _, nested := Items(item); nested {
			texts[i] = TypeName(item)
		}
	}
	return strings.Join(texts, separator)
}

func (o *Object) text() string {
	switch {
	case o.Text != nil:
		return o.Text()
	case o.Type != CustomObject:
		return o.Type
	}
	parts := make([]string, 0, len(o.properties))
	for _, p := range o.properties {
		v, _ := p.Read()
		parts = append(parts, p.Name+"="+String(v))
	}
	return "@{" + strings.Join(parts, "; ") + "}"
}

// FloatText is a double with at most so many digits, as the format G of .NET Framework
// writes it.
func FloatText(f float64, digits int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	mantissa, exponent := decimalDigits(f, digits)
	minus := ""
	if f < 0 {
		minus = "-"
	}
	if exponent < -4 || exponent >= digits {
		return minus + scientific(mantissa, exponent)
	}
	return minus + plain(mantissa, exponent)
}

// decimalDigits are the significant digits of a number without zeros at the end, and
// the power of ten of the first.
func decimalDigits(f float64, digits int) (string, int) {
	text := strconv.FormatFloat(math.Abs(f), 'e', digits-1, 64)
	mantissa, power, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(power)
	return strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0"), exponent
}

func scientific(digits string, exponent int) string {
	text := digits[:1]
	if len(digits) > 1 {
		text += "." + digits[1:]
	}
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	power := strconv.Itoa(exponent)
	if len(power) < 2 {
		power = "0" + power
	}
	return text + "E" + sign + power
}

func plain(digits string, exponent int) string {
	if exponent < 0 {
		return "0." + strings.Repeat("0", -exponent-1) + digits
	}
	if len(digits) <= exponent+1 {
		return digits + strings.Repeat("0", exponent+1-len(digits))
	}
	return digits[:exponent+1] + "." + digits[exponent+1:]
}

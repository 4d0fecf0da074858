package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"kinit/test/winsim/powershell/unknown"
)

// Convert is a value as a type, by its full name, as casts and parameters convert it.
// What cannot be converted is an *Exception with the words of the real one; a type
// that is not modelled is an *unknown.Error.
func Convert(v any, typeName string) (any, error) {
	if elem, isArray := strings.CutSuffix(typeName, "[]"); isArray {
		return convertArray(v, elem)
	}
	switch typeName {
	case "System.Object", "System.Management.Automation.PSObject":
		return v, nil
	case "System.String":
		return String(v), nil
	case "System.Boolean":
		return Truth(v), nil
	case "System.Management.Automation.SwitchParameter":
		return Switch(Truth(v)), nil
	case "System.Char":
		return convertChar(v)
	case "System.Double":
		return convertFloat(v)
	case "System.DateTime":
		return convertDate(v)
	case "System.TimeSpan":
		return convertSpan(v)
	case "System.Guid":
		return convertGUID(v)
	case "System.Text.RegularExpressions.Regex":
		return convertRegex(v)
	case "System.Collections.Hashtable":
		return convertHashtable(v)
	case "System.Void":
		return Empty{}, nil
	case "System.Array":
		if _, ok := Items(v); ok {
			return Base(v), nil
		}
		return NewArray(v), nil
	case "System.Collections.ArrayList":
		items := Each(v)
		return &List{Type: typeName, Items: append([]any(nil), items...)}, nil
	}
	if _, ok := integerLimits(typeName); ok {
		return convertInteger(v, typeName)
	}
	if Is(v, typeName) {
		return v, nil
	}
	if IsNull(v) && !strings.HasPrefix(typeName, "System.Enum") {
		return nil, unknown.New("the conversion of $null to %s", typeName)
	}
	return nil, unknown.New("the conversion of %s to %s", TypeName(v), typeName)
}

// cannot is the error of a conversion that is not possible.
func cannot(v any, typeName string) error {
	e := NewException("System.Management.Automation.PSInvalidCastException",
		fmt.Sprintf(`Cannot convert the "%s" value of type "%s" to type "%s".`, String(v), TypeName(v), typeName))
	e.Extra = []*Property{P("ErrorId", "ConvertToFinalInvalidCastException")}
	return e
}

// cannotParse is the error of text that does not fit a type.
func cannotParse(v any, typeName, reason string) error {
	e := NewException("System.Management.Automation.PSInvalidCastException",
		fmt.Sprintf(`Cannot convert value "%s" to type "%s". Error: "%s"`, String(v), typeName, reason))
	inner := "System.FormatException"
	id := "InvalidCastFromStringToInteger"
	if strings.HasPrefix(reason, "Value was") {
		inner, id = "System.OverflowException", "InvalidCastFromStringToInteger"
		if _, isText := Base(v).(string); !isText {
			id = "InvalidCastIConvertible"
		}
	}
	e.Inner = NewException(inner, reason)
	e.Extra = []*Property{P("ErrorId", id)}
	return e
}

func convertArray(v any, elem string) (any, error) {
	if IsNull(v) {
		return nil, nil
	}
	if elem == "System.Byte" {
		return convertBytes(v)
	}
	if a, ok := Base(v).(*Array); ok && a.elem() == elem {
		return a, nil
	}
	out := &Array{Elem: elem}
	if elem == "System.Object" {
		out.Elem = ""
	}
	if text, ok := Base(v).(string); ok && elem == "System.Char" {
		for _, unit := range Units(text) {
			out.Items = append(out.Items, Char(unit))
		}
		return out, nil
	}
	for _, item := range Each(v) {
		converted, err := convertElem(item, elem)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, converted)
	}
	return out, nil
}

func convertBytes(v any) (any, error) {
	if b, ok := Base(v).(*Bytes); ok {
		return b, nil
	}
	out := &Bytes{}
	for _, item := range Each(v) {
		b, err := Convert(item, "System.Byte")
		if err != nil {
			return nil, err
		}
		out.Data = append(out.Data, b.(uint8))
	}
	return out, nil
}

func convertChar(v any) (any, error) {
	switch c := Base(v).(type) {
	case Char:
		return c, nil
	case string:
		if units := Units(c); len(units) == 1 {
			return Char(units[0]), nil
		}
		return nil, cannotParse(v, "System.Char", "String must be exactly one character long.")
	case float64, bool:
		return nil, cannot(v, "System.Char")
	}
	n, ok := Integer(Base(v))
	if !ok || n < 0 || n > math.MaxUint16 {
		return nil, cannot(v, "System.Char")
	}
	return Char(n), nil
}

type limits struct{ low, high *big.Int }

func integerLimits(typeName string) (limits, bool) {
	bits, signed := 0, true
	switch typeName {
	case "System.Byte":
		bits, signed = 8, false
	case "System.Int16":
		bits = 16
	case "System.UInt16":
		bits, signed = 16, false
	case "System.Int32":
		bits = 32
	case "System.UInt32":
		bits, signed = 32, false
	case "System.Int64":
		bits = 64
	case "System.UInt64":
		bits, signed = 64, false
	default:
		return limits{}, false
	}
	one := big.NewInt(1)
	if signed {
		high := new(big.Int).Lsh(one, uint(bits-1))
		return limits{new(big.Int).Neg(high), new(big.Int).Sub(high, one)}, true
	}
	return limits{new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)}, true
}

func convertInteger(v any, typeName string) (any, error) {
	n, err := bigInteger(v, typeName)
	if err != nil {
		return nil, err
	}
	all, _ := integerLimits(typeName)
	if n.Cmp(all.low) < 0 || n.Cmp(all.high) > 0 {
		kind := ShortTypeName(typeName)
		article := "a"
		if kind == "Int16" || kind == "Int32" || kind == "Int64" {
			article = "an"
		}
		if kind == "Byte" {
			kind, article = "unsigned byte", "an"
		}
		return nil, cannotParse(v, typeName, fmt.Sprintf("Value was either too large or too small for %s %s.", article, kind))
	}
	return sized(n, typeName), nil
}

func sized(n *big.Int, typeName string) any {
	switch typeName {
	case "System.Byte":
		return uint8(n.Uint64())
	case "System.Int16":
		return int16(n.Int64())
	case "System.UInt16":
		return uint16(n.Uint64())
	case "System.Int32":
		return int32(n.Int64())
	case "System.UInt32":
		return uint32(n.Uint64())
	case "System.Int64":
		return n.Int64()
	}
	return n.Uint64()
}

// bigInteger is a value as a whole number, rounded to even as .NET does.
func bigInteger(v any, typeName string) (*big.Int, error) {
	switch b := Base(v).(type) {
	case nil:
		return new(big.Int), nil
	case string:
		return parseInteger(b, typeName)
	case float64:
		return roundFloat(b, v, typeName)
	case bool:
		if b {
			return big.NewInt(1), nil
		}
		return new(big.Int), nil
	case Char:
		return big.NewInt(int64(b)), nil
	case Enum:
		return big.NewInt(b.Number), nil
	case uint64:
		return new(big.Int).SetUint64(b), nil
	}
	n, ok := Integer(Base(v))
	if !ok {
		return nil, cannot(v, typeName)
	}
	return big.NewInt(n), nil
}

func roundFloat(f float64, v any, typeName string) (*big.Int, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, cannotParse(v, typeName, "Value was either too large or too small for an "+ShortTypeName(typeName)+".")
	}
	n, _ := big.NewFloat(math.RoundToEven(f)).Int(nil)
	return n, nil
}

func parseInteger(text, typeName string) (*big.Int, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return new(big.Int), nil
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(trimmed), "0x"); ok {
		if n, ok := new(big.Int).SetString(digits, 16); ok {
			return n, nil
		}
	}
	if n, ok := new(big.Int).SetString(strings.TrimPrefix(trimmed, "+"), 10); ok {
		return n, nil
	}
	if f, err := strconv.ParseFloat(trimmed, 64); err == nil && strings.Trim(trimmed, "+-.0123456789eE") == "" {
		return roundFloat(f, text, typeName)
	}
	return nil, cannotParse(text, typeName, "Input string was not in a correct format.")
}

func convertFloat(v any) (any, error) {
	if text, ok := Base(v).(string); ok {
		trimmed := strings.TrimSpace(text)
		if trimmed == "" {
			return float64(0), nil
		}
		f, err := strconv.ParseFloat(strings.ReplaceAll(trimmed, ",", ""), 64)
		if err != nil || strings.Trim(trimmed, "+-.,0123456789eE") != "" {
			return nil, cannotParse(v, "System.Double", "Input string was not in a correct format.")
		}
		return f, nil
	}
	if IsNull(v) {
		return float64(0), nil
	}
	f, ok := toFloat(Base(v))
	if !ok {
		return nil, cannot(v, "System.Double")
	}
	return f, nil
}

func convertHashtable(v any) (any, error) {
	switch h := Base(v).(type) {
	case nil:
		return nil, nil
	case *Hashtable:
		return h, nil
	}
	return nil, cannot(v, "System.Collections.Hashtable")
}

// Integer is a whole number as int64; false for other values and for what is too large.
func Integer(v any) (int64, bool) {
	switch n := v.(type) {
	case int16:
		return int64(n), true
	case uint16:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	case uint32:
		return int64(n), true
	case uint8:
		return int64(n), true
	case uint64:
		return int64(n), n <= math.MaxInt64
	}
	return 0, false
}

// toFloat is any number as a float64; characters, truth values and enumerations too.
func toFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case uint64:
		return float64(n), true
	case bool:
		if n {
			return 1, true
		}
		return 0, true
	case Char:
		return float64(n), true
	case Enum:
		return float64(n.Number), true
	}
	n, ok := Integer(v)
	return float64(n), ok
}

// IsNumber reports whether a value is of a numeric type.
func IsNumber(v any) bool {
	switch v.(type) {
	case int16, uint16, int32, int64, uint32, uint64, uint8, float64:
		return true
	}
	return false
}

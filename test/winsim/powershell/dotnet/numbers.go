package dotnet

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func numberTypes() []interp.Type {
	types := []interp.Type{
		{Name: "System.Math", Aliases: []string{"math"}, Statics: mathStatics(), Values: statics{"PI": constant(math.Pi)}},
		{Name: "System.Convert", Aliases: []string{"convert"}, Statics: convertStatics()},
		{Name: "System.BitConverter", Aliases: []string{"bitconverter"}, Statics: statics{
			"ToString": static("ToString", 1, 3, bitsText),
		}, Values: statics{"IsLittleEndian": constant(true)}},
		{Name: "System.Double", Aliases: []string{"double", "float64"}},
	}
	for name, limits := range map[string][3]any{
		"System.Byte": {"byte", uint8(0), uint8(math.MaxUint8)}, "System.Int16": {"int16", int16(math.MinInt16), int16(math.MaxInt16)},
		"System.UInt16": {"uint16", uint16(0), uint16(math.MaxUint16)}, "System.Int32": {"int", int32(math.MinInt32), int32(math.MaxInt32)},
		"System.UInt32": {"uint32", uint32(0), uint32(math.MaxUint32)}, "System.Int64": {"long", int64(math.MinInt64), int64(math.MaxInt64)},
		"System.UInt64": {"uint64", uint64(0), uint64(math.MaxUint64)},
	} {
		types = append(types, interp.Type{
			Name: name, Aliases: []string{limits[0].(string)},
			Values: statics{"MinValue": constant(limits[1]), "MaxValue": constant(limits[2])},
		})
	}
	return types
}

func mathStatics() statics {
	// Of two numbers of different types, the second is converted to the type of the first.
	either := func(name string, left func(order int) bool) interp.Func {
		return static(name, 2, 2, func(c call) (any, error) {
			first, second := value.Base(c.args[0]), value.Base(c.args[1])
			if !value.IsNumber(first) || !value.IsNumber(second) {
				return nil, unknown.New("[Math]::%s of values that are no numbers", name)
			}
			second = c.to(1, value.TypeName(first))
			if *c.bad != nil {
				return nil, nil
			}
			order, err := value.Compare(first, second, true)
			if left(order) {
				return first, err
			}
			return second, err
		})
	}
	real := func(name string, f func(float64) float64) interp.Func {
		return static(name, 1, 1, func(c call) (any, error) { return f(c.real(0)), nil })
	}
	return statics{
		"Min":      either("Min", func(order int) bool { return order <= 0 }),
		"Max":      either("Max", func(order int) bool { return order >= 0 }),
		"Floor":    real("Floor", math.Floor),
		"Ceiling":  real("Ceiling", math.Ceil),
		"Truncate": real("Truncate", math.Trunc),
		"Sqrt":     real("Sqrt", math.Sqrt),
	}
}

func convertStatics() statics {
	all := statics{
		"ToBase64String":   static("ToBase64String", 1, 3, toBase64),
		"FromBase64String": static("FromBase64String", 1, 1, fromBase64),
	}
	for name, typeName := range map[string]string{
		"ToInt32": "System.Int32", "ToInt64": "System.Int64", "ToUInt32": "System.UInt32", "ToUInt64": "System.UInt64",
		"ToByte": "System.Byte", "ToInt16": "System.Int16", "ToUInt16": "System.UInt16", "ToDouble": "System.Double", "ToChar": "System.Char",
	} {
		all[name] = static(name, 1, 2, func(c call) (any, error) { return toNumber(c, typeName) })
	}
	return all
}

func toNumber(c call, typeName string) (any, error) {
	if len(c.args) == 1 {
		v, err := value.Convert(c.args[0], typeName)
		if e, ok := err.(*value.Exception); ok && e.Inner != nil {
			return nil, e.Inner
		}
		return v, err
	}
	base := c.num(1)
	if base != 2 && base != 8 && base != 10 && base != 16 {
		return nil, value.NewException("System.ArgumentException", "Invalid Base.")
	}
	text := strings.ToLower(c.str(0))
	if base == 16 {
		text = strings.TrimPrefix(text, "0x")
	}
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		return nil, value.NewException("System.FormatException", "Could not find any recognizable digits.")
	}
	if typeName == "System.Int32" && n <= math.MaxUint32 {
		return int32(uint32(n)), nil
	}
	if typeName == "System.Int64" {
		return int64(n), nil
	}
	return value.Convert(n, typeName)
}

func toBase64(c call) (any, error) {
	b := c.bytes(0).Data
	if len(c.args) == 3 {
		var err error
		if b, err = part(b, c.num(1), c.num(2)); err != nil {
			return nil, err
		}
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

// part is a piece of a byte[].
func part(b []byte, start, length int) ([]byte, error) {
	if start < 0 || length < 0 || start+length > len(b) {
		return nil, value.NewException("System.ArgumentException", "Offset and length were out of bounds for the array or count is greater than the number of elements from index to the end of the source collection.")
	}
	return b[start : start+length], nil
}

func fromBase64(c call) (any, error) {
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, c.str(0))
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		message := "The input is not a valid Base-64 string as it contains a non-base 64 character, more than two padding characters, or an illegal character among the padding characters. "
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == "" && len(text)%4 != 0 {
			message = "Invalid length for a Base-64 char array or string."
		}
		return nil, value.NewException("System.FormatException", message)
	}
	return &value.Bytes{Data: b}, nil
}

func bitsText(c call) (any, error) {
	b := c.bytes(0).Data
	if len(c.args) == 2 {
		return nil, unknown.New("[BitConverter]::ToString with a start alone")
	}
	if len(c.args) == 3 {
		var err error
		if b, err = part(b, c.num(1), c.num(2)); err != nil {
			return nil, err
		}
	}
	pairs := make([]string, len(b))
	for i := range b {
		pairs[i] = strings.ToUpper(hex.EncodeToString(b[i : i+1]))
	}
	return strings.Join(pairs, "-"), nil
}

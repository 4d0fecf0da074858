package value

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"kinit/test/winsim/powershell/unknown"
)

// Arithmetic is left op right for +, -, *, / and %.
func Arithmetic(op string, left, right any) (any, error) {
	l, r := Base(left), Base(right)
	if op == "+" {
		if sum, done, err := addOther(l, right); done {
			return sum, err
		}
	}
	switch a := l.(type) {
	case string:
		if op == "*" {
			return repeatText(a, right)
		}
	case *Array, *List, *Bytes:
		if op == "*" {
			return nil, unknown.New("an array times a number")
		}
		return nil, noOperator(op, l)
	case DateTime:
		return dateArithmetic(op, a, r)
	case TimeSpan:
		return nil, unknown.New("%s of a time span", op)
	case *Hashtable, *Object:
		return nil, noOperator(op, l)
	}
	a, err := operand(op, left)
	if err != nil {
		return nil, err
	}
	b, err := operand(op, right)
	if err != nil {
		return nil, err
	}
	return numbers(op, a, b)
}

func noOperator(op string, left any) error {
	name := map[string]string{"+": "op_Addition", "-": "op_Subtraction", "*": "op_Multiply", "/": "op_Division", "%": "op_Modulus"}[op]
	e := NewException("System.Management.Automation.RuntimeException",
		fmt.Sprintf("Method invocation failed because [%s] does not contain a method named '%s'.", TypeName(left), name))
	e.Extra = []*Property{P("ErrorId", "MethodNotFound")}
	return e
}

// addOther adds what is no number: text, arrays and dictionaries.
func addOther(left any, right any) (any, bool, error) {
	switch a := left.(type) {
	case nil:
		if IsNull(right) {
			return nil, true, nil
		}
		return Base(right), !IsNumber(Base(right)), nil
	case string:
		return a + String(right), true, nil
	case Char:
		if text, ok := Base(right).(string); ok {
			return String(a) + text, true, nil
		}
	case *Array, *List, *Bytes:
		items, _ := Items(a)
		sum := append([]any{}, items...)
		if more, ok := Items(right); ok {
			return NewArray(append(sum, more...)...), true, nil
		}
		return NewArray(append(sum, right)...), true, nil
	case *Hashtable:
		return nil, true, unknown.New("the sum of dictionaries")
	}
	return nil, false, nil
}

func repeatText(text string, times any) (any, error) {
	n, err := Convert(times, "System.Int32")
	if err != nil {
		return nil, err
	}
	if n.(int32) < 0 {
		return nil, NewException("System.ArgumentOutOfRangeException", "Specified argument was out of the range of valid values.\r\nParameter name: times")
	}
	return strings.Repeat(text, int(n.(int32))), nil
}

// operand is a value as a number.
func operand(op string, v any) (any, error) {
	switch b := Base(v).(type) {
	case nil:
		return int32(0), nil
	case string:
		return parseNumber(b)
	case bool:
		if b {
			return int32(1), nil
		}
		return int32(0), nil
	case Char:
		return int32(b), nil
	case Enum:
		return int32(b.Number), nil
	case Switch:
		return nil, unknown.New("arithmetic with a switch parameter")
	case int16, uint16, uint8:
		n, _ := Integer(b)
		return int32(n), nil
	default:
		if IsNumber(b) {
			return b, nil
		}
		return nil, cannot(v, "System.Int32")
	}
}

// parseNumber is text as a number, of the smallest type that holds it.
func parseNumber(text string) (any, error) {
	if n, err := convertInteger(text, "System.Int32"); err == nil && !strings.ContainsAny(text, ".eE") {
		return n, nil
	}
	if n, err := convertInteger(text, "System.Int64"); err == nil && !strings.ContainsAny(text, ".eE") {
		return n, nil
	}
	f, err := convertFloat(text)
	if err != nil {
		return nil, cannotParse(text, "System.Int32", "Input string was not in a correct format.")
	}
	return f, nil
}

func numbers(op string, a, b any) (any, error) {
	_, leftReal := a.(float64)
	_, rightReal := b.(float64)
	if leftReal || rightReal {
		x, _ := toFloat(a)
		y, _ := toFloat(b)
		return reals(op, x, y), nil
	}
	return integers(op, a, b)
}

func reals(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	}
	return math.Mod(x, y)
}

func bigOf(v any) *big.Int {
	if u, ok := v.(uint64); ok {
		return new(big.Int).SetUint64(u)
	}
	n, _ := Integer(v)
	return big.NewInt(n)
}

// integers calculates with whole numbers: what does not fit the type of the operands
// becomes a double, and so does a quotient with a rest.
func integers(op string, a, b any) (any, error) {
	x, y := bigOf(a), bigOf(b)
	if (op == "/" || op == "%") && y.Sign() == 0 {
		e := NewException("System.Management.Automation.RuntimeException", "Attempted to divide by zero.")
		e.Inner = NewException("System.DivideByZeroException", "Attempted to divide by zero.")
		return nil, e
	}
	result := new(big.Int)
	switch op {
	case "+":
		result.Add(x, y)
	case "-":
		result.Sub(x, y)
	case "*":
		result.Mul(x, y)
	case "%":
		result.Rem(x, y)
	case "/":
		rest := new(big.Int)
		result.QuoRem(x, y, rest)
		if rest.Sign() != 0 {
			p, _ := new(big.Float).SetInt(x).Float64()
			q, _ := new(big.Float).SetInt(y).Float64()
			return p / q, nil
		}
	}
	typeName := wider(a, b, x, y)
	if all, _ := integerLimits(typeName); result.Cmp(all.low) < 0 || result.Cmp(all.high) > 0 {
		f, _ := new(big.Float).SetInt(result).Float64()
		return f, nil
	}
	return sized(result, typeName), nil
}

// wider is the type in which two whole numbers are calculated with.
func wider(a, b any, x, y *big.Int) string {
	has := func(typeName string) bool { return numberTypeName(a) == typeName || numberTypeName(b) == typeName }
	negative := x.Sign() < 0 || y.Sign() < 0
	switch {
	case has("System.UInt64") && !negative:
		return "System.UInt64"
	case has("System.Int64"), has("System.UInt64"):
		return "System.Int64"
	case has("System.UInt32") && negative:
		return "System.Int64"
	case has("System.UInt32"):
		return "System.UInt32"
	}
	return "System.Int32"
}

// Negate is -v.
func Negate(v any) (any, error) { return Arithmetic("-", int32(0), v) }

// Bits is left op right for -band, -bor, -bxor, -shl and -shr.
func Bits(op string, left, right any) (any, error) {
	a, err := bitsOperand(left)
	if err != nil {
		return nil, err
	}
	b, err := bitsOperand(right)
	if err != nil {
		return nil, err
	}
	if op == "-shl" || op == "-shr" {
		return nil, unknown.New("the operator %s", op)
	}
	x, y := bigOf(a), bigOf(b)
	result := new(big.Int)
	switch op {
	case "-band":
		result.And(x, y)
	case "-bor":
		result.Or(x, y)
	default:
		result.Xor(x, y)
	}
	return sized(result, wider(a, b, x, y)), nil
}

func bitsOperand(v any) (any, error) {
	n, err := operand("-band", v)
	if f, ok := n.(float64); ok && err == nil {
		if f == math.Trunc(f) && math.Abs(f) < math.MaxInt32 {
			return int32(f), nil
		}
		return Convert(f, "System.Int64")
	}
	return n, err
}

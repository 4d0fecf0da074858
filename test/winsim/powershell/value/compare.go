package value

import (
	"cmp"
	"strings"

	"kinit/test/winsim/powershell/unknown"
)

// Equal is left -eq right for one value on the left; exact says that case matters.
func Equal(left, right any, exact bool) bool {
	l, r := Base(left), Base(right)
	if l == nil || r == nil {
		return l == nil && r == nil
	}
	switch a := l.(type) {
	case string:
		return sameText(a, String(r), exact)
	case Enum:
		return equalEnum(a, r)
	case Char:
		if text, ok := r.(string); ok {
			return sameText(String(a), text, exact)
		}
	case Switch:
		return bool(a) == Truth(r)
	case bool:
		return a == Truth(r)
	}
	if IsNumber(l) {
		return equalNumber(l, r)
	}
	return equalObject(l, r)
}

func sameText(a, b string, exact bool) bool {
	if exact {
		return a == b
	}
	return strings.EqualFold(a, b)
}

func equalEnum(a Enum, r any) bool {
	switch b := r.(type) {
	case Enum:
		return a == b
	case string:
		return strings.EqualFold(a.Name, strings.TrimSpace(b))
	}
	n, ok := Integer(r)
	return ok && n == a.Number
}

func equalNumber(l, r any) bool {
	if b, ok := r.(bool); ok {
		n, _ := toFloat(l)
		return (n == 1) == b && (n == 0) == !b
	}
	order, err := compareNumbers(l, r)
	return err == nil && order == 0
}

func equalObject(l, r any) bool {
	switch a := l.(type) {
	case DateTime, TimeSpan, GUID, Type:
		converted, err := Convert(r, TypeName(a))
		if t, isType := r.(Type); isType {
			return a == t
		}
		if err != nil {
			return false
		}
		order, err := compareSame(l, converted)
		return err == nil && order == 0
	}
	return l == r
}

// Compare tells how two values are ordered: -1, 0 or 1.
func Compare(left, right any, exact bool) (int, error) {
	l, r := Base(left), Base(right)
	if l == nil || r == nil {
		return compareNull(l, r), nil
	}
	switch a := l.(type) {
	case string:
		return CompareText(a, String(r), exact), nil
	case Char:
		if text, ok := r.(string); ok {
			return CompareText(String(a), text, exact), nil
		}
		l = int32(a)
	case Enum:
		return 0, unknown.New("the order of values of the enumeration %s", a.Type)
	case bool:
		return 0, unknown.New("the order of truth values")
	}
	if IsNumber(l) {
		return compareNumbers(l, r)
	}
	converted, err := Convert(r, TypeName(l))
	if err != nil {
		return 0, err
	}
	return compareSame(l, converted)
}

func compareNull(l, r any) int {
	if l == nil && r == nil {
		return 0
	}
	if l == nil {
		if n, ok := toFloat(r); ok && IsNumber(r) && n < 0 {
			return 1
		}
		return -1
	}
	return -compareNull(r, l)
}

func compareNumbers(l, r any) (int, error) {
	if text, ok := r.(string); ok {
		n, err := Convert(text, TypeName(l))
		if err != nil {
			return 0, err
		}
		r = n
	}
	b, err := operand("-lt", r)
	if err != nil {
		return 0, err
	}
	x, leftReal := l.(float64)
	y, rightReal := b.(float64)
	if !leftReal && !rightReal {
		return bigOf(l).Cmp(bigOf(b)), nil
	}
	if !leftReal {
		x, _ = toFloat(l)
	}
	if !rightReal {
		y, _ = toFloat(b)
	}
	switch {
	case x < y:
		return -1, nil
	case x > y:
		return 1, nil
	}
	return 0, nil
}

func compareSame(l, r any) (int, error) {
	switch a := l.(type) {
	case DateTime:
		if b, ok := r.(DateTime); ok {
			return cmp.Compare(a.Ticks(), b.Ticks()), nil
		}
	case TimeSpan:
		if b, ok := r.(TimeSpan); ok {
			return cmp.Compare(int64(a), int64(b)), nil
		}
	case GUID:
		if b, ok := r.(GUID); ok {
			return strings.Compare(a.String(), b.String()), nil
		}
	}
	return 0, unknown.New("the order of values of %s", TypeName(l))
}

// CompareText orders texts as the invariant culture does: letters by the alphabet
// before their case, small letters first, punctuation before digits before letters.
// Hyphens and apostrophes count only where all else is the same.
func CompareText(a, b string, exact bool) int {
	if order := strings.Compare(sortKey(a, "-'"), sortKey(b, "-'")); order != 0 {
		return order
	}
	if order := strings.Compare(sortKey(a, ""), sortKey(b, "")); order != 0 || !exact {
		return order
	}
	return -strings.Compare(a, b)
}

func sortKey(text, without string) string {
	const order = "_- ,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
	key := make([]byte, 0, len(text))
	for _, r := range strings.ToLower(text) {
		if strings.ContainsRune(without, r) {
			continue
		}
		if i := strings.IndexRune(order, r); i >= 0 {
			key = append(key, byte(i+1))
			continue
		}
		key = append(key, 0xFF)
		key = append(key, string(r)...)
	}
	return string(key)
}

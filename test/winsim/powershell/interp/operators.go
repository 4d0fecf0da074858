package interp

import (
	"context"
	"math"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// binary is left op right. The right of -and and -or is evaluated only if it matters.
func (s *Session) binary(ctx context.Context, e *ast.Binary) (any, error) {
	left, err := s.eval(ctx, e.Left)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "-and":
		if !value.Truth(left) {
			return false, nil
		}
	case "-or":
		if value.Truth(left) {
			return true, nil
		}
	}
	right, err := s.eval(ctx, e.Right)
	if err != nil {
		return nil, err
	}
	return s.operate(ctx, e.Op, left, right)
}

func (s *Session) operate(ctx context.Context, op string, left, right any) (any, error) {
	switch op {
	case "-and", "-or":
		return value.Truth(right), nil
	case "-xor":
		return value.Truth(left) != value.Truth(right), nil
	case "+", "-", "*", "/", "%":
		return value.Arithmetic(op, left, right)
	case "-band", "-bor", "-bxor", "-shl", "-shr":
		return s.bits(op, left, right)
	case "..":
		return rangeOf(left, right)
	case "-f":
		return s.format(left, right)
	case "-is":
		return s.is(left, right)
	case "-isnot":
		is, err := s.is(left, right)
		return !is, err
	case "-as":
		return nil, unknown.New("the operator -as")
	case "-join":
		return s.join(left, value.String(right))
	}
	return s.comparison(op, left, right)
}

// bits keeps the enumeration of flags that are joined.
func (s *Session) bits(op string, left, right any) (any, error) {
	if a, ok := value.Base(left).(value.Enum); ok {
		if typ, known := s.interp.typeOf(a.Type); known && typ.Enum != nil {
			b, err := typ.Enum.Convert(right)
			if err != nil {
				return nil, err
			}
			n, err := value.Bits(op, a.Number, b.(value.Enum).Number)
			if err != nil {
				return nil, err
			}
			return typ.Enum.Convert(n)
		}
	}
	return value.Bits(op, left, right)
}

// comparison is one of the operators that have a variant for each case.
func (s *Session) comparison(op string, left, right any) (any, error) {
	plain, exact := op, false
	if rest, ok := strings.CutPrefix(op, "-c"); ok && op != "-contains" {
		plain, exact = "-"+rest, true
	}
	switch plain {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return s.filtered(left, func(v any) (bool, error) { return compare(plain, v, right, exact) })
	case "-like", "-notlike":
		w := value.NewWildcard(value.String(right), exact)
		return s.filtered(left, func(v any) (bool, error) { return w.Match(value.String(v)) == (plain == "-like"), nil })
	case "-match", "-notmatch":
		return s.match(left, right, plain == "-match", exact)
	case "-contains", "-notcontains":
		return contains(left, right, exact) == (plain == "-contains"), nil
	case "-in", "-notin":
		return contains(right, left, exact) == (plain == "-in"), nil
	case "-replace":
		return s.replace(left, right, exact)
	case "-split":
		return s.split(left, right, exact)
	}
	return nil, unknown.New("the operator %s", op)
}

// filtered applies a test to a value, or returns the elements of an array that pass.
func (s *Session) filtered(left any, test func(v any) (bool, error)) (any, error) {
	items, ok := value.Items(left)
	if !ok {
		return test(left)
	}
	out := value.NewArray()
	for _, item := range items {
		passed, err := test(item)
		if err != nil {
			return nil, err
		}
		if passed {
			out.Items = append(out.Items, item)
		}
	}
	return out, nil
}

func compare(op string, left, right any, exact bool) (bool, error) {
	switch op {
	case "-eq":
		return value.Equal(left, right, exact), nil
	case "-ne":
		return !value.Equal(left, right, exact), nil
	}
	order, err := value.Compare(left, right, exact)
	if err != nil {
		return false, err
	}
	switch op {
	case "-lt":
		return order < 0, nil
	case "-le":
		return order <= 0, nil
	case "-gt":
		return order > 0, nil
	}
	return order >= 0, nil
}

func contains(all, one any, exact bool) bool {
	return slices.ContainsFunc(value.Each(all), func(item any) bool { return value.Equal(item, one, exact) })
}

// match is -match: $Matches is set only where the left is one value.
func (s *Session) match(left, right any, want, exact bool) (any, error) {
	r, err := s.regex(right, exact)
	if err != nil {
		return nil, err
	}
	_, isArray := value.Items(left)
	return s.filtered(left, func(v any) (bool, error) {
		m, err := r.Find(value.String(v))
		if err != nil {
			return false, unknown.New("what the pattern %q finds: %v", r.Pattern, err)
		}
		if m != nil && !isArray {
			s.scope.set("Matches", matchTable(m))
		}
		return (m != nil) == want, nil
	})
}

func matchTable(m *value.Match) *value.Hashtable {
	h := value.NewHashtable()
	for i, g := range m.Groups {
		if !g.Success {
			continue
		}
		if g.Name == itoa(i) {
			h.Set(int32(i), g.Value)
		} else {
			h.Set(g.Name, g.Value)
		}
	}
	return h
}

func (s *Session) regex(v any, exact bool) (*value.Regex, error) {
	if r, ok := value.Base(v).(*value.Regex); ok {
		return r, nil
	}
	return value.NewRegex(value.String(v), !exact)
}

func (s *Session) replace(left, right any, exact bool) (any, error) {
	pattern, replacement := right, any("")
	if items, ok := value.Items(right); ok {
		if len(items) == 0 || len(items) > 2 {
			return nil, runtimeError("BadReplaceArgument", "InvalidOperation", "The -replace operator allows only two elements to follow it, not "+itoa(len(items))+".", nil)
		}
		pattern = items[0]
		if len(items) == 2 {
			replacement = items[1]
		}
	}
	if _, block := value.Base(replacement).(*Block); block {
		return nil, unknown.New("-replace with a script block, which 5.1 takes for text")
	}
	r, err := s.regex(pattern, exact)
	if err != nil {
		return nil, err
	}
	one := func(v any) (any, error) { return r.Replace(value.String(v), value.String(replacement), -1) }
	items, ok := value.Items(left)
	if !ok {
		return one(left)
	}
	out := value.NewArray()
	for _, item := range items {
		text, err := one(item)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, text)
	}
	return out, nil
}

func (s *Session) split(left, right any, exact bool) (any, error) {
	pattern, count := right, 0
	if items, ok := value.Items(right); ok {
		if len(items) != 2 {
			return nil, unknown.New("-split with %d values on its right", len(items))
		}
		n, err := value.Convert(items[1], "System.Int32")
		if err != nil {
			return nil, err
		}
		pattern, count = items[0], int(n.(int32))
	}
	if _, block := value.Base(pattern).(*Block); block || count < 0 {
		return nil, unknown.New("-split with a script block or a negative count")
	}
	r, err := s.regex(pattern, exact)
	if err != nil {
		return nil, err
	}
	out := &value.Array{Elem: "System.String"}
	for _, item := range value.Each(left) {
		pieces, err := r.Split(value.String(item), count)
		if err != nil {
			return nil, err
		}
		for _, piece := range pieces {
			out.Items = append(out.Items, piece)
		}
	}
	return out, nil
}

func (s *Session) join(left any, separator string) (any, error) {
	if _, ok := value.Items(left); !ok {
		return value.String(left), nil
	}
	return value.Join(left, separator), nil
}

// typeOperand is the full name of the type on the right of -is and -as.
func (s *Session) typeOperand(right any) (string, error) {
	if t, ok := value.Base(right).(value.Type); ok {
		return t.Name, nil
	}
	return s.interp.resolve(value.String(right))
}

func (s *Session) is(left, right any) (bool, error) {
	name, err := s.typeOperand(right)
	if err != nil {
		return false, err
	}
	return value.Is(left, name), nil
}

// rangeOf is from..to, up or down.
func rangeOf(left, right any) (any, error) {
	from, err := value.Convert(left, "System.Int32")
	if err != nil {
		return nil, err
	}
	to, err := value.Convert(right, "System.Int32")
	if err != nil {
		return nil, err
	}
	a, b := from.(int32), to.(int32)
	if math.Abs(float64(a)-float64(b)) > 10_000_000 {
		return nil, unknown.New("a range of more than ten million numbers")
	}
	out := value.NewArray()
	step := int32(1)
	if b < a {
		step = -1
	}
	for n := a; ; n += step {
		out.Items = append(out.Items, n)
		if n == b {
			return out, nil
		}
	}
}

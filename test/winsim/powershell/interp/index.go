package interp

import (
	"context"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// index is target[index].
func (s *Session) index(ctx context.Context, e *ast.Index) (any, error) {
	target, index, err := s.both(ctx, e.Target, e.Index)
	if err != nil {
		return nil, err
	}
	return s.at(ctx, target, index)
}

func (s *Session) at(ctx context.Context, target, index any) (any, error) {
	base := value.Base(target)
	switch t := base.(type) {
	case nil:
		return nil, runtimeError("NullArray", "InvalidOperation", "Cannot index into a null array.", nil)
	case *value.Hashtable:
		return s.keyed(t, index), nil
	case string:
		return s.atText(ctx, t, index)
	case *value.Object:
		if at, ok := t.FindMethod("get_Item"); ok {
			return at(ctx, []any{index})
		}
	}
	if _, ok := value.Length(base); !ok {
		return s.atScalar(base, index)
	}
	if several, ok := value.Items(index); ok {
		return s.slice(ctx, base, several)
	}
	n, err := value.Convert(index, "System.Int32")
	if err != nil {
		return nil, err
	}
	v, ok := value.At(base, int(n.(int32)))
	if !ok && s.Strict() >= 3 {
		return nil, value.NewException("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
	}
	return v, nil
}

// slice are the elements that are there of several indexes.
func (s *Session) slice(ctx context.Context, target any, indexes []any) (any, error) {
	out := value.NewArray()
	for _, one := range indexes {
		v, err := s.at(ctx, target, one)
		if err != nil {
			return nil, err
		}
		if v != nil {
			out.Items = append(out.Items, v)
		}
	}
	return out, nil
}

// keyed is the value of a key, or of each of several keys.
func (s *Session) keyed(h *value.Hashtable, index any) any {
	several, ok := value.Items(index)
	if !ok {
		if n, isInt := value.Base(index).(int32); isInt && h.Ordered {
			if keys := h.Keys(); int(n) < len(keys) && n >= 0 {
				v, _ := h.Get(keys[n])
				return v
			}
			return nil
		}
		v, _ := h.Get(index)
		return v
	}
	out := value.NewArray()
	for _, key := range several {
		v, _ := h.Get(key)
		out.Items = append(out.Items, v)
	}
	return out
}

func (s *Session) atText(ctx context.Context, text string, index any) (any, error) {
	if several, ok := value.Items(index); ok {
		return s.slice(ctx, text, several)
	}
	n, err := value.Convert(index, "System.Int32")
	if err != nil {
		return nil, err
	}
	units := value.Units(text)
	i := int(n.(int32))
	if i < 0 {
		i += len(units)
	}
	if i < 0 || i >= len(units) {
		return nil, nil
	}
	return value.Char(units[i]), nil
}

// atScalar is an index of a value that is no array: element 0 is itself.
func (s *Session) atScalar(base, index any) (any, error) {
	if _, ok := base.(*value.Object); ok {
		if n, isInt := value.Integer(value.Base(index)); isInt && (n == 0 || n == -1) {
			return base, nil
		}
	}
	return nil, unknown.New("an index of %s", value.TypeName(base))
}

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
		return s.keyed(t, index)
	case string:
		return nil, unknown.New("a character of a text by its index")
	case *value.Object:
		if at, ok := t.FindMethod("get_Item"); ok {
			return at(ctx, []any{index})
		}
	}
	if _, ok := value.Length(base); !ok {
		return s.atScalar(base, index)
	}
	if _, several := value.Items(index); several {
		return nil, unknown.New("several indexes of an array")
	}
	n, err := value.Convert(index, "System.Int32")
	if err != nil {
		return nil, err
	}
	v, _ := value.At(base, int(n.(int32)))
	return v, nil
}

// keyed is the value of a key.
func (s *Session) keyed(h *value.Hashtable, index any) (any, error) {
	if _, several := value.Items(index); !several {
		if n, isInt := value.Base(index).(int32); isInt && h.Ordered {
			if keys := h.Keys(); int(n) < len(keys) && n >= 0 {
				v, _ := h.Get(keys[n])
				return v, nil
			}
			return nil, nil
		}
		v, _ := h.Get(index)
		return v, nil
	}
	return nil, unknown.New("several keys of a dictionary")
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

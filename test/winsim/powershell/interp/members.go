package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// format is the operator -f.
func (s *Session) format(left, right any) (any, error) {
	args, ok := value.Items(right)
	if !ok {
		args = []any{right}
	}
	return value.Format(value.String(left), args)
}

// targetAndName evaluates what stands before and behind the dot of a member.
func (s *Session) targetAndName(ctx context.Context, target, name ast.Expr) (any, string, error) {
	of, v, err := s.both(ctx, target, name)
	return of, value.String(v), err
}

// both evaluates two expressions in their order.
func (s *Session) both(ctx context.Context, first, second ast.Expr) (any, any, error) {
	a, err := s.eval(ctx, first)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.eval(ctx, second)
	return a, b, err
}

// member is the value of target.name or [type]::name.
func (s *Session) member(ctx context.Context, e *ast.Member) (any, error) {
	target, name, err := s.targetAndName(ctx, e.Target, e.Name)
	if err != nil {
		return nil, err
	}
	if e.Static {
		return s.staticProperty(ctx, target, name)
	}
	return s.Get(ctx, target, name)
}

func (s *Session) staticProperty(ctx context.Context, target any, name string) (any, error) {
	full, typ, err := s.staticType(target)
	if err != nil {
		return nil, err
	}
	if typ.Enum != nil {
		if one, err := typ.Enum.Convert(name); err == nil {
			return one, nil
		}
	}
	get, ok := typ.Values[strings.ToLower(name)]
	if !ok {
		return nil, unknown.New("the static member %s of [%s]", name, full)
	}
	return get(ctx, s, nil)
}

func (s *Session) staticType(target any) (string, *Type, error) {
	t, ok := value.Base(target).(value.Type)
	if !ok {
		return "", nil, unknown.New("a static member of a value that is no type")
	}
	typ, ok := s.interp.typeOf(t.Name)
	if !ok {
		return t.Name, &Type{Name: t.Name}, nil
	}
	return t.Name, typ, nil
}

// Get is a property of a value by its name in any case: of an array that has none of
// that name, the properties of its elements.
func (s *Session) Get(ctx context.Context, target any, name string) (any, error) {
	v, ok, err := s.property(ctx, target, name)
	if err != nil || ok {
		return v, err
	}
	if items, isArray := value.Items(target); isArray {
		return s.enumerate(ctx, items, name)
	}
	return s.missing(target, name)
}

// enumerate collects a property of the elements of an array.
func (s *Session) enumerate(ctx context.Context, items []any, name string) (any, error) {
	var found []any
	for _, item := range items {
		v, ok, err := s.property(ctx, item, name)
		if err != nil {
			return nil, err
		}
		if inner, isArray := value.Items(item); !ok && isArray {
			if v, err = s.enumerate(ctx, inner, name); err != nil {
				return nil, err
			}
			ok = true
		}
		if !ok {
			if _, err := s.missing(item, name); err != nil {
				return nil, err
			}
			continue
		}
		found = append(found, value.Each(v)...)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return value.Collect(found), nil
}

// missing is the value of a property that is not there.
func (s *Session) missing(target any, name string) (any, error) {
	base := value.Base(target)
	switch o := base.(type) {
	case nil:
		if strings.EqualFold(name, "count") || strings.EqualFold(name, "length") {
			return int32(0), nil
		}
		return nil, nil
	case *value.Hashtable:
		return nil, nil
	case *value.Object:
		return s.missingOfObject(o, name)
	}
	if strings.EqualFold(name, "count") || strings.EqualFold(name, "length") {
		return int32(1), nil
	}
	return nil, unknown.New("the property %s of %s", name, value.TypeName(base))
}

func (s *Session) missingOfObject(o *value.Object, name string) (any, error) {
	counts := strings.EqualFold(name, "count") || strings.EqualFold(name, "length")
	switch {
	case counts && strings.Contains(o.Type, "CimInstance"):
		return nil, unknown.New("the %s of a single %s: put it in @( )", name, o.Type)
	case counts && o.Type != value.CustomObject:
		return int32(1), nil
	case !o.Complete:
		return nil, unknown.New("the property %s of %s", name, o.Type)
	}
	return nil, nil
}

// property is a property that a value has of its own.
func (s *Session) property(ctx context.Context, target any, name string) (any, bool, error) {
	switch strings.ToLower(name) {
	case "psobject", "psbase", "psadapted", "psextended", "pstypenames":
		return nil, false, unknown.New("the property %s", name)
	}
	if o, ok := target.(*value.Object); ok && o != nil {
		if p := o.Find(name); p != nil {
			v, err := p.Read()
			return v, true, err
		}
	}
	base := value.Base(target)
	if h, ok := base.(*value.Hashtable); ok {
		if v, ok := h.Get(name); ok {
			return v, true, nil
		}
	}
	if e, ok := base.(*value.Exception); ok {
		return s.exceptionProperty(ctx, e, name)
	}
	if get, ok := s.instanceProperty(base, name); ok {
		v, err := get(ctx, s, base, nil)
		return v, true, err
	}
	return nil, false, nil
}

func (s *Session) exceptionProperty(ctx context.Context, e *value.Exception, name string) (any, bool, error) {
	if typ, ok := s.interp.types.find("System.Exception"); ok {
		if get, ok := typ.Properties[strings.ToLower(name)]; ok {
			v, err := get(ctx, s, e, nil)
			return v, true, err
		}
	}
	v, err := e.Property(name)
	return v, err == nil, err
}

func (s *Session) instanceProperty(base any, name string) (InstanceFunc, bool) {
	typ, ok := s.interp.typeOf(registeredName(base))
	if !ok {
		return nil, false
	}
	get, ok := typ.Properties[strings.ToLower(name)]
	return get, ok
}

// registeredName is the name under which the members of a value are registered.
func registeredName(base any) string {
	switch v := base.(type) {
	case *value.Exception:
		return "System.Exception"
	case value.Enum:
		return "System.Enum"
	case *value.Hashtable:
		if v.Type != "" {
			return v.Type
		}
		return "System.Collections.Hashtable"
	}
	return value.TypeName(base)
}

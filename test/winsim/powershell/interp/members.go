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

func (s *Session) memberName(ctx context.Context, e ast.Expr) (string, error) {
	v, err := s.eval(ctx, e)
	return value.String(v), err
}

// member is the value of target.name or [type]::name.
func (s *Session) member(ctx context.Context, e *ast.Member) (any, error) {
	target, err := s.eval(ctx, e.Target)
	if err != nil {
		return nil, err
	}
	name, err := s.memberName(ctx, e.Name)
	if err != nil {
		return nil, err
	}
	if e.Static {
		return s.staticProperty(ctx, target, name)
	}
	v, err := s.Get(ctx, target, name)
	return v, err
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
	if len(found) == 0 && s.Strict() >= 2 {
		return nil, s.noProperty(name)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return value.Collect(found), nil
}

func (s *Session) noProperty(name string) error {
	return runtimeError("PropertyNotFoundStrict", "NotSpecified", "The property '"+name+"' cannot be found on this object. Verify that the property exists.", nil)
}

// missing is the value of a property that is not there.
func (s *Session) missing(target any, name string) (any, error) {
	base := value.Base(target)
	switch o := base.(type) {
	case nil:
		if strings.EqualFold(name, "count") || strings.EqualFold(name, "length") {
			return int32(0), nil
		}
		if s.Strict() >= 2 {
			return nil, s.noProperty(name)
		}
		return nil, nil
	case *value.Hashtable:
		if s.Strict() >= 2 {
			return nil, s.noProperty(name)
		}
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
	case s.Strict() >= 2:
		return nil, s.noProperty(name)
	}
	return nil, nil
}

// property is a property that a value has of its own.
func (s *Session) property(ctx context.Context, target any, name string) (any, bool, error) {
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

// invoke is target.name(args) or [type]::name(args).
func (s *Session) invoke(ctx context.Context, e *ast.Invoke) (any, error) {
	target, err := s.eval(ctx, e.Target)
	if err != nil {
		return nil, err
	}
	name, err := s.memberName(ctx, e.Name)
	if err != nil {
		return nil, err
	}
	args := make([]any, 0, len(e.Args))
	for _, arg := range e.Args {
		v, err := s.eval(ctx, arg)
		if err != nil {
			return nil, err
		}
		args = append(args, element(v))
	}
	var v any
	if e.Static {
		v, err = s.callStatic(ctx, target, name, args)
	} else {
		v, err = s.CallMethod(ctx, target, name, args)
	}
	if err != nil {
		return nil, methodError(err, name, len(args), e.At())
	}
	return v, nil
}

func (s *Session) callStatic(ctx context.Context, target any, name string, args []any) (any, error) {
	full, typ, err := s.staticType(target)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(name, "new") {
		return s.New(ctx, full, args)
	}
	call, ok := typ.Statics[strings.ToLower(name)]
	if !ok {
		return nil, unknown.New("the static method %s of [%s]", name, full)
	}
	return call(ctx, s, args)
}

// New makes an instance of a type by its full name, as New-Object does.
func (s *Session) New(ctx context.Context, full string, args []any) (any, error) {
	if elem, isArray := strings.CutSuffix(full, "[]"); isArray {
		return newArray(elem, args)
	}
	if kind, ok := value.KnownException(full); ok {
		return newException(kind, args)
	}
	typ, ok := s.interp.typeOf(full)
	if !ok || typ.New == nil {
		return nil, unknown.New("the constructor of [%s]", full)
	}
	if strings.Contains(full, "[") { // a generic type is told its arguments first
		args = append([]any{value.Type{Name: full}}, args...)
	}
	return typ.New(ctx, s, args)
}

func newArray(elem string, args []any) (any, error) {
	if len(args) != 1 {
		return nil, unknown.New("the constructor of [%s[]] with %d arguments", elem, len(args))
	}
	length, err := value.Convert(args[0], "System.Int32")
	if err != nil {
		return nil, err
	}
	n := length.(int32)
	if n < 0 || n > 1<<30 {
		return nil, value.NewException("System.OverflowException", "Arithmetic operation resulted in an overflow.")
	}
	if elem == "System.Byte" {
		return &value.Bytes{Data: make([]byte, n)}, nil
	}
	a := &value.Array{Items: make([]any, n)}
	if elem != "System.Object" {
		a.Elem = elem
	}
	return a, fillDefault(a)
}

// fillDefault gives the elements of an array of values their default.
func fillDefault(a *value.Array) error {
	if a.Elem == "" || a.Elem == "System.String" {
		return nil
	}
	zero, err := value.Convert(nil, a.Elem)
	if err != nil {
		return err
	}
	for i := range a.Items {
		a.Items[i] = zero
	}
	return nil
}

func newException(kind string, args []any) (any, error) {
	e := value.NewException(kind, "Exception of type '"+kind+"' was thrown.")
	switch len(args) {
	case 2:
		inner, ok := value.Base(args[1]).(*value.Exception)
		if !ok {
			return nil, unknown.New("the constructor of [%s] with these arguments", kind)
		}
		e.Inner = inner
		fallthrough
	case 1:
		if _, number := value.Integer(value.Base(args[0])); number {
			return nil, unknown.New("the constructor of [%s] with a number", kind)
		}
		e.Message = value.String(args[0])
	case 0:
	default:
		return nil, unknown.New("the constructor of [%s] with %d arguments", kind, len(args))
	}
	return e, nil
}

// CallMethod calls a method of a value.
func (s *Session) CallMethod(ctx context.Context, target any, name string, args []any) (any, error) {
	if o, ok := target.(*value.Object); ok && o != nil {
		if m, ok := o.FindMethod(name); ok {
			return m(ctx, args)
		}
		if p := o.Find(name); p != nil {
			if b, ok := value.Base(p.Value).(*Block); ok && o.Type == value.CustomObject {
				return nil, unknown.New("the call of the script block in property %s: %s", name, b.Source())
			}
		}
	}
	base := value.Base(target)
	if base == nil {
		return nil, runtimeError("InvokeMethodOnNull", "InvalidOperation", "You cannot call a method on a null-valued expression.", nil)
	}
	if m, ok := s.instanceMethod(base, name); ok {
		return m(ctx, s, base, args)
	}
	if items, isArray := value.Items(base); isArray && len(items) > 0 && !s.hasMethod(base, name) {
		return s.callEach(ctx, items, name, args)
	}
	return nil, unknown.New("the method %s of %s", name, value.TypeName(base))
}

func (s *Session) hasMethod(base any, name string) bool {
	_, ok := s.instanceMethod(base, name)
	return ok
}

// instanceMethod is a method of a registered type; those of System.Object are last.
func (s *Session) instanceMethod(base any, name string) (InstanceFunc, bool) {
	for _, full := range []string{registeredName(base), "System.Object"} {
		if typ, ok := s.interp.typeOf(full); ok {
			if m, ok := typ.Methods[strings.ToLower(name)]; ok {
				return m, true
			}
		}
	}
	return nil, false
}

// callEach calls a method of each element of an array that has none of that name.
func (s *Session) callEach(ctx context.Context, items []any, name string, args []any) (any, error) {
	var all []any
	for _, item := range items {
		v, err := s.CallMethod(ctx, item, name, args)
		if err != nil {
			return nil, err
		}
		if _, void := v.(value.Void); !void {
			all = append(all, value.Each(v)...)
		}
	}
	return value.Collect(all), nil
}

// index is target[index].
func (s *Session) index(ctx context.Context, e *ast.Index) (any, error) {
	target, err := s.eval(ctx, e.Target)
	if err != nil {
		return nil, err
	}
	index, err := s.eval(ctx, e.Index)
	if err != nil {
		return nil, err
	}
	return s.at(target, index)
}

func (s *Session) at(target, index any) (any, error) {
	base := value.Base(target)
	switch t := base.(type) {
	case nil:
		return nil, runtimeError("NullArray", "InvalidOperation", "Cannot index into a null array.", nil)
	case *value.Hashtable:
		return s.keyed(t, index), nil
	case string:
		return s.atText(t, index)
	case *value.Object:
		if at, ok := t.FindMethod("get_Item"); ok {
			return at(context.Background(), []any{index})
		}
	}
	if _, ok := value.Length(base); !ok {
		return s.atScalar(base, index)
	}
	if several, ok := value.Items(index); ok {
		out := value.NewArray()
		for _, one := range several {
			v, err := s.at(base, one)
			if err != nil {
				return nil, err
			}
			if v != nil {
				out.Items = append(out.Items, v)
			}
		}
		return out, nil
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

func (s *Session) atText(text string, index any) (any, error) {
	if several, ok := value.Items(index); ok {
		out := value.NewArray()
		for _, one := range several {
			v, err := s.atText(text, one)
			if err != nil {
				return nil, err
			}
			if v != nil {
				out.Items = append(out.Items, v)
			}
		}
		return out, nil
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

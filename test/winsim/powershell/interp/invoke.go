package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// invoke is target.name(args) or [type]::name(args).
func (s *Session) invoke(ctx context.Context, e *ast.Invoke) (any, error) {
	target, name, err := s.targetAndName(ctx, e.Target, e.Name)
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
	if a.Elem != "" && a.Elem != "System.String" {
		return nil, unknown.New("a new array of %s", a.Elem)
	}
	return a, nil
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
	return nil, unknown.New("the method %s of %s", name, value.TypeName(base))
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

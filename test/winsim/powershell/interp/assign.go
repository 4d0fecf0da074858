package interp

import (
	"context"
	"fmt"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// assign carries out an assignment and returns what was assigned.
func (s *Session) assign(ctx context.Context, a *ast.Assignment) (any, error) {
	v, err := s.valueOf(ctx, a.Value)
	if err != nil {
		return nil, err
	}
	if a.Op != "=" {
		if v, err = s.compound(ctx, a, v); err != nil {
			return nil, locate(err, a.At())
		}
	}
	if err := s.set(ctx, a.Target, v); err != nil {
		return nil, locate(err, a.At())
	}
	return v, nil
}

// compound is the value that target op= value assigns.
func (s *Session) compound(ctx context.Context, a *ast.Assignment, v any) (any, error) {
	old, err := s.eval(ctx, a.Target)
	if err != nil {
		return nil, err
	}
	if o, ok := old.(*value.Object); ok && o.Base == nil {
		return nil, unknown.New("%s of an object", a.Op)
	}
	return value.Arithmetic(a.Op[:1], old, v)
}

// set assigns a value to a variable, an element, a property or several of them.
func (s *Session) set(ctx context.Context, target ast.Expr, v any) error {
	switch t := target.(type) {
	case *ast.Variable:
		return s.assignVariable(ctx, t, v, "")
	case *ast.Cast:
		return s.setTyped(ctx, t, v)
	case *ast.Index:
		return s.setIndex(ctx, t, v)
	case *ast.Member:
		return s.setMember(ctx, t, v)
	case *ast.List:
		return s.setList(ctx, t, v)
	}
	return unknown.New("an assignment to %T", target)
}

func (s *Session) setTyped(ctx context.Context, t *ast.Cast, v any) error {
	name, err := s.interp.resolve(t.Type.Name)
	if err != nil {
		return err
	}
	variable, ok := t.Operand.(*ast.Variable)
	if !ok {
		return unknown.New("a type before the target of an assignment that is no variable")
	}
	return s.assignVariable(ctx, variable, element(v), name)
}

// setList spreads the elements of a value over several targets; the last gets the rest.
func (s *Session) setList(ctx context.Context, t *ast.List, v any) error {
	items := value.Each(v)
	for i, target := range t.Items {
		var part any
		switch last := i == len(t.Items)-1; {
		case i >= len(items):
		case last && len(items) > len(t.Items):
			part = value.NewArray(append([]any{}, items[i:]...)...)
		default:
			part = items[i]
		}
		if err := s.set(ctx, target, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) setIndex(ctx context.Context, t *ast.Index, v any) error {
	target, index, err := s.both(ctx, t.Target, t.Index)
	if err != nil {
		return err
	}
	switch base := value.Base(target).(type) {
	case nil:
		return runtimeError("NullArray", "InvalidOperation", "Cannot index into a null array.", nil)
	case *value.Hashtable:
		base.Set(index, element(v))
		return nil
	case *value.Object:
		if set, ok := base.FindMethod("set_Item"); ok {
			_, err := set(ctx, []any{index, element(v)})
			return err
		}
	}
	if _, ok := value.Length(target); !ok {
		return unknown.New("setting an element of %s", value.TypeName(target))
	}
	n, err := value.Convert(index, "System.Int32")
	if err != nil {
		return err
	}
	return value.SetAt(target, int(n.(int32)), element(v))
}

func (s *Session) setMember(ctx context.Context, t *ast.Member, v any) error {
	target, name, err := s.targetAndName(ctx, t.Target, t.Name)
	if err != nil {
		return err
	}
	if t.Static {
		return s.setStatic(ctx, target, name, v)
	}
	if o, ok := target.(*value.Object); ok && o != nil {
		if p := o.Find(name); p != nil {
			return setProperty(p, element(v))
		}
	}
	switch base := value.Base(target).(type) {
	case nil:
		return runtimeError("PropertyNotFound", "InvalidOperation", "The property '"+name+"' cannot be found on this object. Verify that the property exists and can be set.", nil)
	case *value.Hashtable:
		base.Set(name, element(v))
		return nil
	case *value.Object:
		if base.Complete {
			const message = "The property '%s' cannot be found on this object. Verify that the property exists and can be set."
			x := value.NewException("System.Management.Automation.SetValueInvocationException", `Exception setting "`+name+`": "`+fmt.Sprintf(message, name)+`"`)
			return &Throw{Record: &value.ErrorRecord{Exception: x, ID: "ExceptionWhenSetting", Category: "NotSpecified"}, Statement: true}
		}
		return unknown.New("setting the property %s of %s", name, base.Type)
	}
	return unknown.New("setting the property %s of %s", name, value.TypeName(target))
}

func setProperty(p *value.Property, v any) error {
	switch {
	case p.ReadOnly || p.Get != nil && p.Set == nil:
		return runtimeError("PropertyAssignmentException", "InvalidOperation", "'"+p.Name+"' is a ReadOnly property.", nil)
	case p.Set != nil:
		return p.Set(v)
	}
	p.Value = v
	return nil
}

func (s *Session) setStatic(ctx context.Context, target any, name string, v any) error {
	full, typ, err := s.staticType(target)
	if err != nil {
		return err
	}
	for key, set := range typ.Setters {
		if equalFold(key, name) {
			return s.wrapSetter(set(ctx, s, v), name)
		}
	}
	return unknown.New("setting the static property %s of [%s]", name, full)
}

// wrapSetter is an exception of a property as PowerShell wraps it.
func (s *Session) wrapSetter(err error, name string) error {
	e, ok := asException(err)
	if !ok {
		return err
	}
	wrapped := value.NewException("System.Management.Automation.SetValueInvocationException", `Exception setting "`+name+`": "`+e.Message+`"`)
	wrapped.Inner = e
	return wrapped
}

// step is ++ or -- before or after a target; after it, the value is the old one.
func (s *Session) step(ctx context.Context, e *ast.Step) (any, error) {
	old, err := s.eval(ctx, e.Operand)
	if err != nil {
		return nil, err
	}
	if value.IsNull(old) {
		old = int32(0)
	}
	if !value.IsNumber(value.Base(old)) {
		return nil, runtimeError("OperatorRequiresNumber", "InvalidOperation", "The '"+e.Op+"' operator works only on numbers. The operand is a '"+value.TypeName(old)+"'.", nil)
	}
	next, err := value.Arithmetic(e.Op[:1], old, int32(1))
	if err != nil {
		return nil, err
	}
	if err := s.set(ctx, e.Operand, next); err != nil {
		return nil, err
	}
	if e.Prefix {
		return next, nil
	}
	return old, nil
}

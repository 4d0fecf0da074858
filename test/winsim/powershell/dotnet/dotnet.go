// Package dotnet has the .NET types that scripts use: their static members, their
// constructors, and the members of their values. A member, or a number of arguments, that
// is not here is an *unknown.Error.
package dotnet

import (
	"context"
	"fmt"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Types are all of them.
func Types() []interp.Type {
	var all []interp.Type
	for _, some := range [][]interp.Type{
		basicTypes(), textTypes(), numberTypes(), timeTypes(), collectionTypes(), regexTypes(),
		encodingTypes(), streamTypes(), consoleTypes(), fileTypes(), environmentTypes(), processTypes(), cryptoTypes(),
	} {
		all = append(all, some...)
	}
	return all
}

// call is one call of a member.
type call struct {
	ctx  context.Context
	s    *interp.Session
	self any
	args []any
	bad  *error // the first argument that could not be converted
}

// static is a static method or a constructor that takes from least to most arguments.
func static(name string, least, most int, f func(c call) (any, error)) interp.Func {
	return func(ctx context.Context, s *interp.Session, args []any) (any, error) {
		return run(name, least, most, call{ctx: ctx, s: s, args: args}, f)
	}
}

// method is a method of values.
func method(name string, least, most int, f func(c call) (any, error)) interp.InstanceFunc {
	return func(ctx context.Context, s *interp.Session, self any, args []any) (any, error) {
		return run(name, least, most, call{ctx: ctx, s: s, self: self, args: args}, f)
	}
}

func run(name string, least, most int, c call, f func(c call) (any, error)) (any, error) {
	if len(c.args) < least || len(c.args) > most {
		return nil, unknown.New("%s with %d arguments", name, len(c.args))
	}
	var bad error
	c.bad = &bad
	v, err := f(c)
	if bad != nil {
		return nil, bad
	}
	return v, err
}

// property is a property of values of a Go type.
func property[T any](get func(v T) any) interp.InstanceFunc {
	return func(_ context.Context, _ *interp.Session, self any, _ []any) (any, error) {
		v, ok := self.(T)
		if !ok {
			return nil, unknown.New("this property of a %s", value.TypeName(self))
		}
		return get(v), nil
	}
}

// constant is a static property that never changes.
func constant(v any) interp.Func {
	return func(context.Context, *interp.Session, []any) (any, error) { return v, nil }
}

// str is an argument as text.
func (c call) str(i int) string { return value.String(c.args[i]) }

// num is an argument as an int.
func (c call) num(i int) int {
	n, _ := c.to(i, "System.Int32").(int32)
	return int(n)
}

// num64 is an argument as a long.
func (c call) num64(i int) int64 {
	n, _ := c.to(i, "System.Int64").(int64)
	return n
}

// real is an argument as a double.
func (c call) real(i int) float64 {
	n, _ := c.to(i, "System.Double").(float64)
	return n
}

// truth is an argument as a truth value.
func (c call) truth(i int) bool { return value.Truth(c.args[i]) }

// bytes is an argument as a byte[].
func (c call) bytes(i int) *value.Bytes {
	b, ok := c.to(i, "System.Byte[]").(*value.Bytes)
	if !ok {
		return &value.Bytes{}
	}
	return b
}

func (c call) to(i int, typeName string) any {
	v, err := value.Convert(c.args[i], typeName)
	if err != nil && *c.bad == nil {
		*c.bad = argumentError(err)
	}
	return v
}

// argumentError is an argument that does not fit, as the binder of methods says it.
func argumentError(err error) error {
	e, ok := err.(*value.Exception)
	if !ok {
		return err
	}
	x := value.NewException("System.Management.Automation.MethodException", e.Message)
	x.Inner = e
	x.Extra = []*value.Property{value.P("ErrorId", "MethodArgumentConversionInvalidCastArgument")}
	return x
}

// noOverload is the error of a call for which a type has no member with so many arguments.
func noOverload(name string, count int) error {
	e := value.NewException("System.Management.Automation.MethodException", fmt.Sprintf("Cannot find an overload for %q and the argument count: \"%d\".", name, count))
	e.Extra = []*value.Property{value.P("ErrorId", "MethodCountCouldNotFindBest")}
	return e
}

// data is what an object of this package is for Go; false where it is something else.
func data[T any](v any) (T, bool) {
	var none T
	o, ok := v.(*value.Object)
	if !ok || o == nil {
		return none, false
	}
	if o.Data == nil && o.Base != nil {
		return data[T](o.Base)
	}
	d, ok := o.Data.(T)
	return d, ok
}

func void(err error) (any, error) { return value.Void{}, err }

// Package clr is the .NET types of the simulated machine that need more of it than its
// files: the registry, access lists, accounts, sockets, the serial port.
package clr

import (
	"context"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// library is the types as one process uses them.
type library struct {
	m *machine.Machine
	p *machine.Process
}

// Types are the types as a process uses them. The types of dotnet are given, since some
// of them get further members.
func Types(p *machine.Process, dotnet []interp.Type) []interp.Type {
	l := library{p.Machine, p}
	all := append(l.extend(dotnet), l.registryTypes()...)
	all = append(all, l.securityTypes()...)
	return append(all, l.deviceTypes()...)
}

// static is a static method or constructor that takes from least to most arguments.
func static(name string, least, most int, call func(ctx context.Context, s *interp.Session, args []any) (any, error)) interp.Func {
	return func(ctx context.Context, s *interp.Session, args []any) (any, error) {
		if len(args) < least || len(args) > most {
			return nil, unknown.New("%s with %d arguments", name, len(args))
		}
		return call(ctx, s, args)
	}
}

// method gives an object a method that takes from least to most arguments.
func method(o *value.Object, name string, least, most int, call func(ctx context.Context, args []any) (any, error)) {
	o.Method(name, func(ctx context.Context, args []any) (any, error) {
		if len(args) < least || len(args) > most {
			return nil, unknown.New("%s.%s with %d arguments", value.ShortTypeName(o.Type), name, len(args))
		}
		return call(ctx, args)
	})
}

// quiet gives an object methods that do nothing.
func quiet(o *value.Object, names ...string) {
	for _, name := range names {
		method(o, name, 0, 0, func(context.Context, []any) (any, error) { return value.Void{}, nil })
	}
}

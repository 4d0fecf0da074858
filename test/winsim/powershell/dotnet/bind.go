package dotnet

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// bind gives an object a method that needs no session.
func bind(o *value.Object, name string, m interp.InstanceFunc) {
	o.Method(name, func(ctx context.Context, args []any) (any, error) { return m(ctx, nil, o, args) })
}

// computed is a property that is computed at each read.
func computed(name string, get func() any) *value.Property {
	return &value.Property{Name: name, ReadOnly: true, Get: func() (any, error) { return get(), nil }}
}

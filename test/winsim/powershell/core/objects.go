package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func objectCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "New-Object", Parameters: []interp.Parameter{
			{Name: "TypeName", Type: "string", Position: 1}, {Name: "ArgumentList", Aliases: []string{"Args"}, Position: 2},
		}, Run: newObject},
	}
}

// newObject makes an instance of a type. Of an array it is told as 5.1 knows it: made
// by New-Object, which ConvertTo-Json shows.
func newObject(ctx context.Context, c *interp.Call) error {
	full, err := c.Session.Interpreter().Resolve(c.String("TypeName"))
	if err != nil {
		return err
	}
	args := value.Each(c.Value("ArgumentList"))
	if !c.Has("ArgumentList") {
		args = nil
	}
	v, err := c.Session.New(ctx, full, args)
	if _, thrown := err.(*value.Exception); thrown {
		return unknown.New("what New-Object makes of an exception of a constructor: %v", err)
	}
	if err != nil {
		return err
	}
	if a, ok := v.(*value.Array); ok {
		a.Wrapped = true
	}
	return c.WriteObject(ctx, v)
}

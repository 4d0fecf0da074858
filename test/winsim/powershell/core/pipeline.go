package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func pipelineCmdlets() []interp.Cmdlet {
	where := []interp.Parameter{input(), {Name: "FilterScript", Position: 1, Mandatory: true}}
	return []interp.Cmdlet{
		{Name: "ForEach-Object", Aliases: []string{"%", "foreach"}, Parameters: []interp.Parameter{
			input(), {Name: "Process", Position: 1, Mandatory: true}, {Name: "Begin", Type: "scriptblock"}, {Name: "End", Type: "scriptblock"},
		}, Begin: forEachBegin, Run: forEach, End: forEachEnd},
		{Name: "Where-Object", Aliases: []string{"?", "where"}, Parameters: where, Run: whereObject},
	}
}

func forEachBegin(ctx context.Context, c *interp.Call) error {
	return runBlock(ctx, c, c.Block("Begin"), nil)
}

func forEachEnd(ctx context.Context, c *interp.Call) error {
	return runBlock(ctx, c, c.Block("End"), nil)
}

func runBlock(ctx context.Context, c *interp.Call, b *interp.Block, underscore any) error {
	if b == nil {
		return nil
	}
	return c.Session.InvokeWith(ctx, b, underscore, c.WriteObject)
}

// forEach runs a block for each object, or takes a property or calls a method of it.
func forEach(ctx context.Context, c *interp.Call) error {
	for _, v := range each(c) {
		if err := forOne(ctx, c, v); err != nil {
			return err
		}
	}
	return nil
}

func forOne(ctx context.Context, c *interp.Call, v any) error {
	if b := c.Block("Process"); b != nil {
		return runBlock(ctx, c, b, v)
	}
	return unknown.New("ForEach-Object without a script block")
}

func whereObject(ctx context.Context, c *interp.Call) error {
	for _, v := range each(c) {
		yes, err := wanted(ctx, c, v)
		if err != nil {
			return err
		}
		if !yes {
			continue
		}
		if err := c.WriteObject(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func wanted(ctx context.Context, c *interp.Call, v any) (bool, error) {
	if b := c.Block("FilterScript"); b != nil {
		var items []any
		err := c.Session.InvokeWith(ctx, b, v, interp.AppendTo(&items))
		return value.Truth(value.Collect(items)), err
	}
	return false, unknown.New("Where-Object without a script block")
}

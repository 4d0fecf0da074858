package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func pipelineCmdlets() []interp.Cmdlet {
	where := []interp.Parameter{
		input(), {Name: "FilterScript", Position: 1}, {Name: "Property", Type: "string"}, {Name: "Value", Position: 2},
	}
	for _, op := range whereOperators() {
		where = append(where, interp.Parameter{Name: op, Type: "switch"})
	}
	return []interp.Cmdlet{
		{Name: "ForEach-Object", Aliases: []string{"%", "foreach"}, Parameters: []interp.Parameter{
			input(), {Name: "Process", Position: 1, Mandatory: true}, {Name: "Begin", Type: "scriptblock"}, {Name: "End", Type: "scriptblock"},
			{Name: "MemberName", Type: "string"}, {Name: "ArgumentList", Aliases: []string{"Args"}, Type: "object[]", Remaining: true},
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
		if c.Has("ArgumentList") {
			return unknown.New("ForEach-Object with more than one script block by position")
		}
		return runBlock(ctx, c, b, v)
	}
	name := c.String("Process")
	if value.IsNull(v) {
		return nil
	}
	args, _ := value.Items(c.Value("ArgumentList"))
	got, err := c.Session.Get(ctx, v, name)
	if len(args) > 0 || unknown.Is(err) {
		got, err = c.Session.CallMethod(ctx, v, name, args)
	}
	if err != nil {
		return err
	}
	return c.WriteAll(ctx, got)
}

// whereOperators are the comparisons of the short form of Where-Object.
func whereOperators() []string {
	return []string{
		"EQ", "NE", "GT", "GE", "LT", "LE", "Like", "NotLike", "Match", "NotMatch", "Contains", "NotContains", "In", "NotIn",
		"CEQ", "CNE", "CGT", "CGE", "CLT", "CLE", "CLike", "CNotLike", "CMatch", "CNotMatch", "CContains", "CNotContains", "Is", "IsNot",
	}
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
	got, err := property(ctx, c, v, value.String(c.Value("FilterScript")))
	if err != nil {
		return false, err
	}
	for _, op := range whereOperators() {
		if !c.Bool(op) {
			continue
		}
		answer, err := c.Session.Operate(ctx, op, got, c.Value("Value"))
		return value.Truth(answer), err
	}
	return value.Truth(got), nil
}

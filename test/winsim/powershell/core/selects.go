package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func selectCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{{Name: "Select-Object", Aliases: []string{"select"}, Parameters: []interp.Parameter{
		input(), {Name: "First", Type: "int"}, {Name: "Last", Type: "int"}, {Name: "Skip", Type: "int"},
	}, Begin: selectBegin, Run: selectRun, End: selectEnd}}
}

// selection is where a Select-Object is.
type selection struct {
	seen, written int64
	last          []any
}

func selectBegin(_ context.Context, c *interp.Call) error {
	c.State = &selection{}
	return nil
}

func selectRun(ctx context.Context, c *interp.Call) error {
	state := c.State.(*selection)
	for _, v := range each(c) {
		if c.Has("First") && state.written >= c.Int("First") {
			return c.StopUpstream()
		}
		state.seen++
		if state.seen <= c.Int("Skip") {
			continue
		}
		if c.Has("Last") {
			state.last = append(state.last, v)
			continue
		}
		if err := c.WriteObject(ctx, v); err != nil {
			return err
		}
		state.written++
		if c.Has("First") && state.written >= c.Int("First") && c.Piped {
			return c.StopUpstream()
		}
	}
	return nil
}

func selectEnd(ctx context.Context, c *interp.Call) error {
	state := c.State.(*selection)
	last := state.last
	if n := int(c.Int("Last")); len(last) > n {
		last = last[len(last)-n:]
	}
	for _, v := range last {
		if err := c.WriteObject(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func note(name string, v any) *value.Property {
	p := value.P(name, v)
	p.Note = true
	return p
}

// evaluate is a script block with an object as $_, or the property of a name.
func evaluate(ctx context.Context, c *interp.Call, expression, v any) (any, error) {
	b, ok := value.Base(expression).(*interp.Block)
	if !ok {
		return property(ctx, c, v, value.String(expression))
	}
	var items []any
	if err := c.Session.InvokeWith(ctx, b, v, interp.AppendTo(&items)); err != nil {
		return nil, err
	}
	got := value.Collect(items)
	if value.IsNull(got) {
		return nil, nil
	}
	return got, nil
}

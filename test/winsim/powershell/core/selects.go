package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func selectCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{{Name: "Select-Object", Aliases: []string{"select"}, Parameters: []interp.Parameter{
		input(), {Name: "Property", Type: "object[]", Position: 1}, {Name: "ExpandProperty", Type: "string"},
		{Name: "First", Type: "int"}, {Name: "Last", Type: "int"}, {Name: "Skip", Type: "int"}, {Name: "Unique", Type: "switch"},
		{Name: "Index", Type: "int[]"}, {Name: "ExcludeProperty", Type: "string[]"},
	}, Begin: selectBegin, Run: selectRun, End: selectEnd}}
}

// selection is where a Select-Object is.
type selection struct {
	seen, written int64
	last          []any
	unique        []any
}

func selectBegin(_ context.Context, c *interp.Call) error {
	c.State = &selection{}
	return notHere(c, "Index", "ExcludeProperty")
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
		if err := selectOne(ctx, c, v); err != nil {
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
		if err := selectOne(ctx, c, v); err != nil {
			return err
		}
	}
	return nil
}

func selectOne(ctx context.Context, c *interp.Call, v any) error {
	if c.Has("ExpandProperty") {
		return expand(ctx, c, v)
	}
	if c.Has("Property") {
		o, err := pick(ctx, c, v)
		if err != nil {
			return err
		}
		v = o
	}
	if c.Bool("Unique") {
		state := c.State.(*selection)
		for _, old := range state.unique {
			if _, isObject := value.Base(v).(*value.Object); isObject {
				return unknown.New("Select-Object -Unique of objects")
			}
			if value.Equal(old, v, true) {
				return nil
			}
		}
		state.unique = append(state.unique, v)
	}
	return c.WriteObject(ctx, v)
}

// expand writes the elements of a property.
func expand(ctx context.Context, c *interp.Call, v any) error {
	if err := notHere(c, "Property", "Unique"); err != nil {
		return err
	}
	name := c.String("ExpandProperty")
	if o, ok := v.(*value.Object); ok && o.Complete && o.Find(name) == nil {
		return c.WriteError(ctx, record(c, "System.Management.Automation.PSArgumentException",
			"Property \""+name+"\" cannot be found.", "ExpandPropertyNotFound", "InvalidArgument", v))
	}
	got, err := property(ctx, c, v, name)
	if err != nil {
		return err
	}
	return c.WriteAll(ctx, got)
}

// pick is a new object with the properties that are asked for.
func pick(ctx context.Context, c *interp.Call, v any) (any, error) {
	out := value.NewCustom()
	out.Supertypes = []string{"Selected." + value.TypeName(v)}
	wanted, _ := value.Items(c.Value("Property"))
	for _, one := range wanted {
		if h, ok := value.Base(one).(*value.Hashtable); ok {
			p, err := calculated(ctx, c, h, v)
			if err != nil {
				return nil, err
			}
			out.Add(p)
			continue
		}
		if err := copyProperties(ctx, c, out, v, value.String(one)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func copyProperties(ctx context.Context, c *interp.Call, out *value.Object, v any, name string) error {
	if !value.HasWildcards(name) {
		got, err := property(ctx, c, v, name)
		if err != nil {
			return err
		}
		if o, ok := v.(*value.Object); ok && o.Find(name) != nil {
			name = o.Find(name).Name
		}
		out.Add(note(name, got))
		return nil
	}
	o, ok := v.(*value.Object)
	if !ok || !o.Complete {
		return unknown.New("Select-Object with the pattern %q of a %s", name, value.TypeName(v))
	}
	w := value.NewWildcard(name, false)
	for _, p := range o.Properties() {
		if !w.Match(p.Name) {
			continue
		}
		got, err := p.Read()
		if err != nil {
			return err
		}
		out.Add(note(p.Name, got))
	}
	return nil
}

func note(name string, v any) *value.Property {
	p := value.P(name, v)
	p.Note = true
	return p
}

// calculated is a property that @{Name=; Expression=} describes.
func calculated(ctx context.Context, c *interp.Call, h *value.Hashtable, v any) (*value.Property, error) {
	name, ok := keyOf(h, "Name", "N", "Label", "L")
	expression, given := keyOf(h, "Expression", "E")
	if !ok || !given {
		return nil, unknown.New("a calculated property without Name or Expression")
	}
	got, err := evaluate(ctx, c, expression, v)
	if err != nil {
		return nil, err
	}
	return note(value.String(name), got), nil
}

func keyOf(h *value.Hashtable, names ...string) (any, bool) {
	for _, name := range names {
		if v, ok := h.Get(name); ok {
			return v, true
		}
	}
	return nil, false
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

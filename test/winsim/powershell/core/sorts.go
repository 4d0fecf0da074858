package core

import (
	"context"
	"slices"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func sortCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "Sort-Object", Aliases: []string{"sort"}, Parameters: []interp.Parameter{
			input(), {Name: "Property", Type: "object[]", Position: 1}, {Name: "Descending", Type: "switch"},
			{Name: "Unique", Type: "switch"}, {Name: "CaseSensitive", Type: "switch"},
		}, Run: gather, End: sortEnd},
	}
}

// gather keeps all input for the end.
func gather(_ context.Context, c *interp.Call) error {
	all, _ := c.State.([]any)
	c.State = append(all, each(c)...)
	return nil
}

type keyed struct {
	v    any
	keys []any
}

// keys are the values that objects are sorted or grouped by.
func keys(ctx context.Context, c *interp.Call) ([]keyed, error) {
	all, _ := c.State.([]any)
	by, _ := value.Items(c.Value("Property"))
	out := make([]keyed, 0, len(all))
	for _, v := range all {
		one := keyed{v: v}
		for _, p := range by {
			if _, table := value.Base(p).(*value.Hashtable); table {
				return nil, unknown.New("%s by a calculated property", c.Cmdlet.Name)
			}
			got, err := evaluate(ctx, c, p, v)
			if err != nil {
				return nil, err
			}
			one.keys = append(one.keys, got)
		}
		if len(by) == 0 {
			one.keys = []any{v}
		}
		out = append(out, one)
	}
	return out, nil
}

func sortEnd(ctx context.Context, c *interp.Call) error {
	all, err := keys(ctx, c)
	if err != nil {
		return err
	}
	exact := c.Bool("CaseSensitive")
	var failed error
	order := func(a, b keyed) int {
		for i := range a.keys {
			n, err := compare(a.keys[i], b.keys[i], exact)
			if err != nil && failed == nil {
				failed = err
			}
			if n != 0 {
				if c.Bool("Descending") {
					return -n
				}
				return n
			}
		}
		return 0
	}
	slices.SortStableFunc(all, order)
	if failed != nil {
		return failed
	}
	for i, one := range all {
		if c.Bool("Unique") && i > 0 && order(all[i-1], one) == 0 {
			continue
		}
		if err := c.WriteObject(ctx, one.v); err != nil {
			return err
		}
	}
	return nil
}

func compare(a, b any, exact bool) (int, error) {
	if _, ok := value.Base(a).(*value.Object); ok {
		return 0, unknown.New("the order of objects of %s", value.TypeName(a))
	}
	if value.TypeName(a) != value.TypeName(b) && !(value.IsNumber(value.Base(a)) && value.IsNumber(value.Base(b))) && !value.IsNull(a) && !value.IsNull(b) {
		return 0, unknown.New("the order of a %s and a %s", value.TypeName(a), value.TypeName(b))
	}
	return value.Compare(a, b, exact)
}

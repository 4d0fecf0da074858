package core

import (
	"context"
	"math"
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
		{Name: "Group-Object", Aliases: []string{"group"}, Parameters: []interp.Parameter{
			input(), {Name: "Property", Type: "object[]", Position: 1}, {Name: "NoElement", Type: "switch"},
		}, Run: gather, End: groupEnd},
		{Name: "Measure-Object", Aliases: []string{"measure"}, Parameters: []interp.Parameter{
			input(), {Name: "Property", Type: "string[]", Position: 1}, {Name: "Sum", Type: "switch"}, {Name: "Average", Type: "switch"},
			{Name: "Maximum", Type: "switch"}, {Name: "Minimum", Type: "switch"},
		}, Run: gather, End: measureEnd},
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

// groupEnd writes a group for each value, in the order in which they came.
func groupEnd(ctx context.Context, c *interp.Call) error {
	all, err := keys(ctx, c)
	if err != nil {
		return err
	}
	var groups []*value.Object
	for _, one := range all {
		if len(one.keys) != 1 {
			return unknown.New("Group-Object by more than one property")
		}
		var found *value.Object
		for _, g := range groups {
			if value.Equal(g.Data, one.keys[0], false) {
				found = g
			}
		}
		if found == nil {
			found = value.NewObject("Microsoft.PowerShell.Commands.GroupInfo", value.P("Name", value.String(one.keys[0])), value.P("Count", int32(0)), value.P("Group", value.NewArray()))
			found.Data = one.keys[0]
			groups = append(groups, found)
		}
		found.Find("Count").Value = found.Property("Count").(int32) + 1
		members := found.Property("Group").(*value.Array)
		members.Items = append(members.Items, one.v)
	}
	for _, g := range groups {
		if err := c.WriteObject(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// measureEnd counts, and adds up a property if it is asked to.
func measureEnd(ctx context.Context, c *interp.Call) error {
	all, err := keys(ctx, c)
	if err != nil {
		return err
	}
	o := value.NewObject("Microsoft.PowerShell.Commands.GenericMeasureInfo", value.P("Count", int32(len(all))))
	sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
	numbers := c.Bool("Sum") || c.Bool("Average") || c.Bool("Maximum") || c.Bool("Minimum")
	for _, one := range all {
		if !numbers {
			break
		}
		n, err := value.Convert(one.keys[0], "System.Double")
		if err != nil {
			return err
		}
		sum += n.(float64)
		low, high = min(low, n.(float64)), max(high, n.(float64))
	}
	for name, v := range map[string]float64{"Sum": sum, "Average": sum / float64(len(all)), "Maximum": high, "Minimum": low} {
		p := value.P(name, nil)
		if c.Bool(name) && len(all) > 0 {
			p.Value = v
		}
		o.Add(p)
	}
	return c.WriteObject(ctx, o)
}

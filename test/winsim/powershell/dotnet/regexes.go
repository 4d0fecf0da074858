package dotnet

import (
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func regexTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.Text.RegularExpressions.Regex", Aliases: []string{"regex"}, New: static("Regex", 1, 2, newRegex),
			Statics: statics{
				"Escape":  static("Escape", 1, 1, func(c call) (any, error) { return value.Escape(c.str(0)), nil }),
				"Match":   static("Match", 2, 3, func(c call) (any, error) { return onPattern(c, 2, matchOnce) }),
				"Matches": static("Matches", 2, 3, func(c call) (any, error) { return onPattern(c, 2, matchAll) }),
				"IsMatch": static("IsMatch", 2, 3, func(c call) (any, error) { return onPattern(c, 2, isMatch) }),
				"Replace": static("Replace", 3, 4, replaceStatic),
				"Split": static("Split", 2, 2, func(c call) (any, error) {
					return onPattern(c, 2, func(r *value.Regex, text string) (any, error) {
						pieces, err := r.Split(text, 0)
						return value.NewStrings(pieces...), err
					})
				}),
			},
			Methods: methods{
				"Match":   method("Match", 1, 1, func(c call) (any, error) { return matchOnce(c.self.(*value.Regex), c.str(0)) }),
				"Matches": method("Matches", 1, 1, func(c call) (any, error) { return matchAll(c.self.(*value.Regex), c.str(0)) }),
				"IsMatch": method("IsMatch", 1, 1, func(c call) (any, error) { return isMatch(c.self.(*value.Regex), c.str(0)) }),
				"Replace": method("Replace", 2, 3, replaceMethod),
			},
		},
		{Name: "System.Text.RegularExpressions.RegexOptions", Enum: &value.EnumType{
			Name: "System.Text.RegularExpressions.RegexOptions", Flags: true,
			Values: []value.Enum{
				value.NewEnum("System.Text.RegularExpressions.RegexOptions", "None", 0),
				value.NewEnum("System.Text.RegularExpressions.RegexOptions", "IgnoreCase", 1),
			},
		}},
	}
}

func newRegex(c call) (any, error) {
	ignoreCase, err := options(c, 1)
	if err != nil {
		return nil, err
	}
	return value.NewRegex(c.str(0), ignoreCase)
}

// options reports whether an argument, if it is there, says that case does not matter.
func options(c call, i int) (bool, error) {
	if i >= len(c.args) {
		return false, nil
	}
	v, err := c.s.Convert(c.ctx, c.args[i], "System.Text.RegularExpressions.RegexOptions")
	if err != nil {
		return false, unknown.New("the options %q of regular expressions", c.str(i))
	}
	return v.(value.Enum).Number == 1, nil
}

// onPattern applies something to a text, the first argument, and a pattern, the second.
// at is the argument that options are.
func onPattern(c call, at int, do func(r *value.Regex, text string) (any, error)) (any, error) {
	ignoreCase, err := options(c, at)
	if err != nil {
		return nil, err
	}
	r, err := value.NewRegex(c.str(1), ignoreCase)
	if err != nil {
		return nil, err
	}
	return do(r, c.str(0))
}

func isMatch(r *value.Regex, text string) (any, error) {
	m, err := r.Find(text)
	return m != nil, err
}

func matchOnce(r *value.Regex, text string) (any, error) {
	m, err := r.Find(text)
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = &value.Match{Groups: []value.Group{{Name: "0"}}}
	}
	return matchObject(m), nil
}

func matchAll(r *value.Regex, text string) (any, error) {
	all, err := r.FindAll(text)
	out := value.NewArray()
	for _, m := range all {
		out.Items = append(out.Items, matchObject(m))
	}
	return out, err
}

func replaceStatic(c call) (any, error) {
	return onPattern(c, 3, func(r *value.Regex, text string) (any, error) {
		return replaceWith(r, text, c.args[2], -1)
	})
}

func replaceMethod(c call) (any, error) {
	count := -1
	if len(c.args) == 3 {
		count = c.num(2)
	}
	return replaceWith(c.self.(*value.Regex), c.str(0), c.args[1], count)
}

func replaceWith(r *value.Regex, text string, by any, count int) (any, error) {
	if _, block := value.Base(by).(*interp.Block); block {
		return nil, unknown.New("[regex]::Replace with a script block")
	}
	return r.Replace(text, value.String(by), count)
}

// matchObject is a Match with its groups, which are found by number and by name.
func matchObject(m *value.Match) *value.Object {
	groups := &value.Hashtable{Type: "System.Text.RegularExpressions.GroupCollection"}
	list := value.NewArray()
	for i, g := range m.Groups {
		o := groupObject("System.Text.RegularExpressions.Group", g)
		groups.Set(int32(i), o)
		groups.Set(g.Name, o)
		list.Items = append(list.Items, o)
	}
	o := groupObject("System.Text.RegularExpressions.Match", m.Group)
	o.Add(value.P("Groups", groups))
	return o
}

func groupObject(typeName string, g value.Group) *value.Object {
	o := value.NewObject(typeName, value.P("Success", g.Success), value.P("Value", g.Value), value.P("Index", int32(g.Offset)), value.P("Length", int32(g.Length)))
	o.Text = func() string { return g.Value }
	return o
}

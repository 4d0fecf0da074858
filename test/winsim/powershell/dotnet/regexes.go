package dotnet

import (
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func regexTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.Text.RegularExpressions.Regex", Aliases: []string{"regex"},
			Statics: statics{
				"Escape":  static("Escape", 1, 1, func(c call) (any, error) { return value.Escape(c.str(0)), nil }),
				"Replace": static("Replace", 3, 4, replaceStatic),
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

func replaceStatic(c call) (any, error) {
	return onPattern(c, 3, func(r *value.Regex, text string) (any, error) {
		return replaceWith(r, text, c.args[2], -1)
	})
}

func replaceWith(r *value.Regex, text string, by any, count int) (any, error) {
	if _, block := value.Base(by).(*interp.Block); block {
		return nil, unknown.New("[regex]::Replace with a script block")
	}
	return r.Replace(text, value.String(by), count)
}

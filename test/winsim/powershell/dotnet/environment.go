package dotnet

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func environmentTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.Environment", Aliases: []string{"environment"},
			Statics: statics{
				"GetEnvironmentVariable":     static("GetEnvironmentVariable", 1, 2, getVariable),
				"SetEnvironmentVariable":     static("SetEnvironmentVariable", 2, 3, setVariable),
				"GetEnvironmentVariables":    static("GetEnvironmentVariables", 0, 1, allVariables),
				"ExpandEnvironmentVariables": static("ExpandEnvironmentVariables", 1, 1, func(c call) (any, error) { return Expand(c.s, c.str(0)), nil }),
				"Exit":                       static("Exit", 1, 1, func(c call) (any, error) { return nil, interp.Exit(int32(c.num(0))) }),
			},
			Values: statics{
				"NewLine":                constant("\r\n"),
				"Is64BitOperatingSystem": constant(true),
				"Is64BitProcess":         constant(true),
				"CurrentDirectory":       static("CurrentDirectory", 0, 0, func(c call) (any, error) { return c.s.Job().Dir, nil }),
				"MachineName":            static("MachineName", 0, 0, func(c call) (any, error) { return variable(c, "COMPUTERNAME") }),
				"UserName":               static("UserName", 0, 0, func(c call) (any, error) { return variable(c, "USERNAME") }),
				"TickCount":              static("TickCount", 0, 0, func(c call) (any, error) { return int32(c.s.Now().UnixMilli()), nil }),
			},
			Setters: map[string]func(context.Context, *interp.Session, any) error{
				"CurrentDirectory": func(_ context.Context, s *interp.Session, v any) error {
					s.EnterFolder(s.ProcessPath(value.String(v)))
					return nil
				},
			},
		},
		{Name: "System.EnvironmentVariableTarget", Enum: enum("System.EnvironmentVariableTarget", "Process", "User", "Machine")},
	}
}

func variable(c call, name string) (any, error) {
	text, ok := c.s.Env.Get(name)
	if !ok {
		return nil, unknown.New("[Environment] without the variable %s", name)
	}
	return text, nil
}

// target is the argument that says whose variables are meant.
func target(c call, i int) (string, error) {
	if i >= len(c.args) {
		return "Process", nil
	}
	v, err := c.s.Convert(c.ctx, c.args[i], "System.EnvironmentVariableTarget")
	if err != nil {
		return "", err
	}
	return v.(value.Enum).Name, nil
}

func getVariable(c call) (any, error) {
	whose, err := target(c, 1)
	if err != nil {
		return nil, err
	}
	get := func(name string) (string, bool) { return c.s.Host().Environment().Get(whose, name) }
	if whose == "Process" {
		get = c.s.Env.Get
	}
	text, ok := get(c.str(0))
	if !ok {
		return nil, nil
	}
	return text, nil
}

func setVariable(c call) (any, error) {
	whose, err := target(c, 2)
	if err != nil {
		return nil, err
	}
	if whose == "Process" {
		c.s.Env.Set(c.str(0), c.str(1))
		return value.Void{}, nil
	}
	return void(c.s.Host().Environment().Set(whose, c.str(0), c.str(1)))
}

func allVariables(c call) (any, error) {
	whose, err := target(c, 0)
	if err != nil {
		return nil, err
	}
	all := c.s.Env.Map()
	if whose != "Process" {
		all = c.s.Host().Environment().All(whose)
	}
	h := value.NewHashtable()
	for name, text := range all {
		h.Set(name, text)
	}
	return h, nil
}

// Expand replaces %NAME% in a text; names without a variable stay as they are.
func Expand(s *interp.Session, text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "%")
		v, known := s.Env.Get(name)
		if !closed || !known {
			b.WriteString("%")
			text = rest
			continue
		}
		b.WriteString(v)
		text = after
	}
}

package dotnet

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func environmentTypes() []interp.Type {
	return []interp.Type{
		{
			Name: "System.Environment", Aliases: []string{"environment"},
			Statics: statics{
				"GetEnvironmentVariable": static("GetEnvironmentVariable", 1, 2, getVariable),
				"SetEnvironmentVariable": static("SetEnvironmentVariable", 2, 3, setVariable),
			},
			Values: statics{
				"NewLine":                constant("\r\n"),
				"Is64BitOperatingSystem": constant(true),
				"Is64BitProcess":         constant(true),
				"CurrentDirectory":       static("CurrentDirectory", 0, 0, func(c call) (any, error) { return c.s.Job().Dir, nil }),
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

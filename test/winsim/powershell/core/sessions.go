package core

import (
	"context"
	"strings"
	"time"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func sessionCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "Get-Date", Parameters: []interp.Parameter{
			{Name: "Date", Type: "datetime", Position: 1, Pipeline: true}, {Name: "Format", Type: "string"}, {Name: "UFormat", Type: "string"},
		}, Run: getDate},
		{Name: "Start-Sleep", Aliases: []string{"sleep"}, Parameters: []interp.Parameter{
			{Name: "Seconds", Type: "int", Position: 1}, {Name: "Milliseconds", Type: "int"},
		}, Run: startSleep},
		{Name: "Set-StrictMode", Parameters: []interp.Parameter{{Name: "Version", Type: "string"}, {Name: "Off", Type: "switch"}}, Run: setStrict},
		{Name: "Get-Variable", Parameters: []interp.Parameter{
			{Name: "Name", Type: "string", Position: 1, Mandatory: true}, {Name: "ValueOnly", Type: "switch"}, {Name: "Scope", Type: "string"},
		}, Run: getVariable},
		{Name: "Set-Variable", Aliases: []string{"sv"}, Parameters: []interp.Parameter{
			{Name: "Name", Type: "string", Position: 1, Mandatory: true}, {Name: "Value", Position: 2}, {Name: "Scope", Type: "string"},
		}, Run: setVariable},
		{Name: "Import-Module", Parameters: []interp.Parameter{
			{Name: "Name", Type: "string[]", Position: 1, Mandatory: true}, {Name: "Force", Type: "switch"},
			{Name: "DisableNameChecking", Type: "switch"}, {Name: "Global", Type: "switch"},
		}, Run: importModule},
		{Name: "Get-Command", Aliases: []string{"gcm"}, Parameters: []interp.Parameter{
			{Name: "Name", Type: "string[]", Position: 1, Mandatory: true}, {Name: "CommandType", Type: "string"},
		}, Run: getCommand},
		{Name: "New-Guid", Run: func(ctx context.Context, c *interp.Call) error { return c.WriteObject(ctx, value.NewGUID()) }},
		{Name: "New-TimeSpan", Parameters: []interp.Parameter{
			{Name: "Days", Type: "int"}, {Name: "Hours", Type: "int"}, {Name: "Minutes", Type: "int"}, {Name: "Seconds", Type: "int"},
			{Name: "Start", Type: "datetime"}, {Name: "End", Type: "datetime"},
		}, Run: newTimeSpan},
	}
}

func getDate(ctx context.Context, c *interp.Call) error {
	if err := notHere(c, "UFormat"); err != nil {
		return err
	}
	d := value.DateTime{T: c.Session.Now(), Kind: value.LocalTime}
	if given, ok := value.Base(c.Value("Date")).(value.DateTime); ok {
		d = given
	}
	if !c.Has("Format") {
		return c.WriteObject(ctx, d)
	}
	text, err := d.Format(c.String("Format"))
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, text)
}

func startSleep(ctx context.Context, c *interp.Call) error {
	d := time.Duration(c.Int("Seconds"))*time.Second + time.Duration(c.Int("Milliseconds"))*time.Millisecond
	if d < 0 {
		return c.Terminate(record(c, "System.Management.Automation.ParameterBindingException", "Cannot validate argument on parameter 'Seconds'. The argument is less than the minimum allowed range of 0.", "ParameterArgumentValidationError", "InvalidData", nil))
	}
	return c.Session.Host().Clock().Sleep(ctx, d)
}

func setStrict(_ context.Context, c *interp.Call) error {
	if c.Bool("Off") {
		c.Session.SetStrict(-1)
		return nil
	}
	switch version := strings.ToLower(c.String("Version")); version {
	case "latest":
		c.Session.SetStrict(3)
	case "1", "2", "3", "1.0", "2.0", "3.0":
		c.Session.SetStrict(int(version[0] - '0'))
	default:
		return unknown.New("Set-StrictMode -Version %s", version)
	}
	return nil
}

func getVariable(ctx context.Context, c *interp.Call) error {
	if err := notHere(c, "Scope"); err != nil {
		return err
	}
	v, ok := c.Session.LookUp(c.String("Name"))
	if !ok {
		return c.WriteError(ctx, record(c, "System.Management.Automation.ItemNotFoundException", "Cannot find a variable with the name '"+c.String("Name")+"'.", "VariableNotFound", "ObjectNotFound", c.String("Name")))
	}
	if c.Bool("ValueOnly") {
		return c.WriteObject(ctx, v)
	}
	return c.WriteObject(ctx, value.NewObject("System.Management.Automation.PSVariable", value.P("Name", c.String("Name")), value.P("Value", v)))
}

func setVariable(_ context.Context, c *interp.Call) error {
	return c.Session.SetVariable(c.String("Scope"), c.String("Name"), c.Value("Value"))
}

func importModule(ctx context.Context, c *interp.Call) error {
	for _, name := range c.Strings("Name") {
		if c.Session.Interpreter().HasModule(name) {
			continue
		}
		return unknown.New("the module %s", name)
	}
	return nil
}

// getCommand finds commands by exact names. What the simulator has no cmdlet of may be
// one of the real machine, which its host decides when it looks for programs.
func getCommand(ctx context.Context, c *interp.Call) error {
	for _, name := range c.Strings("Name") {
		if value.HasWildcards(name) {
			return unknown.New("Get-Command with a pattern")
		}
		kind, full, err := c.Session.Command(name)
		if err != nil {
			return err
		}
		if kind == "" {
			r := record(c, "System.Management.Automation.CommandNotFoundException", "The term '"+name+"' is not recognized as the name of a cmdlet, function, script file, or operable program. Check the spelling of the name, or if a path was included, verify that the path is correct and try again.", "CommandNotFoundException", "ObjectNotFound", name)
			if err := c.WriteError(ctx, r); err != nil {
				return err
			}
			continue
		}
		o := value.NewObject("System.Management.Automation.CommandInfo", value.P("Name", full), value.P("CommandType", value.NewEnum("System.Management.Automation.CommandTypes", kind, 0)), value.P("Source", full), value.P("Path", full), value.P("Definition", full))
		if kind != "Application" {
			o = value.NewObject("System.Management.Automation.CommandInfo", value.P("Name", full), value.P("CommandType", value.NewEnum("System.Management.Automation.CommandTypes", kind, 0)))
		}
		o.Text = func() string { return full }
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func newTimeSpan(ctx context.Context, c *interp.Call) error {
	if c.Has("Start") || c.Has("End") {
		return newInterval(ctx, c)
	}
	seconds := ((c.Int("Days")*24+c.Int("Hours"))*60+c.Int("Minutes"))*60 + c.Int("Seconds")
	return c.WriteObject(ctx, value.Span(time.Duration(seconds)*time.Second))
}

func newInterval(ctx context.Context, c *interp.Call) error {
	at := value.DateTime{T: c.Session.Now(), Kind: value.LocalTime}
	from, ok := value.Base(c.Value("Start")).(value.DateTime)
	if !ok {
		from = at
	}
	to, ok := value.Base(c.Value("End")).(value.DateTime)
	if !ok {
		to = at
	}
	return c.WriteObject(ctx, value.TimeSpan(to.Ticks()-from.Ticks()))
}

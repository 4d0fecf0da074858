package core

import (
	"context"
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
		{Name: "Get-Command", Aliases: []string{"gcm"}, Parameters: []interp.Parameter{
			{Name: "Name", Type: "string[]", Position: 1, Mandatory: true}, {Name: "CommandType", Type: "string"},
		}, Run: getCommand},
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

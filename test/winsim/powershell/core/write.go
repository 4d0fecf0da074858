package core

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func writeCmdlets() []interp.Cmdlet {
	message := []interp.Parameter{{Name: "Message", Type: "string", Position: 1, Mandatory: true, Pipeline: true}}
	return []interp.Cmdlet{
		{Name: "Write-Output", Aliases: []string{"echo", "write"}, Parameters: []interp.Parameter{
			{Name: "InputObject", Position: 1, Mandatory: true, Pipeline: true, Remaining: true}, {Name: "NoEnumerate", Type: "switch"},
		}, Run: writeOutput},
		{Name: "Write-Error", Parameters: []interp.Parameter{
			{Name: "Message", Aliases: []string{"Msg"}, Type: "string", Position: 1, Pipeline: true},
			{Name: "Exception", Type: "System.Exception"}, {Name: "ErrorId", Type: "string"}, {Name: "Category", Type: "string"},
			{Name: "TargetObject"}, {Name: "ErrorRecord"},
		}, Run: writeError},
		{Name: "Write-Host", Parameters: []interp.Parameter{
			{Name: "Object", Position: 1, Pipeline: true, Remaining: true}, {Name: "NoNewline", Type: "switch"}, {Name: "Separator"},
			{Name: "ForegroundColor", Type: "string"}, {Name: "BackgroundColor", Type: "string"},
		}, Run: writeHost},
		{Name: "Write-Warning", Parameters: message, Run: func(ctx context.Context, c *interp.Call) error {
			return c.WriteStream(ctx, '3', "WarningPreference", "WARNING: ")
		}},
		{Name: "Write-Verbose", Parameters: message, Run: func(ctx context.Context, c *interp.Call) error {
			return c.WriteStream(ctx, '4', "VerbosePreference", "VERBOSE: ")
		}},
		{Name: "Write-Debug", Parameters: message, Run: func(ctx context.Context, c *interp.Call) error {
			return c.WriteStream(ctx, '5', "DebugPreference", "DEBUG: ")
		}},
		{Name: "Write-Progress", Parameters: []interp.Parameter{
			{Name: "Activity", Type: "string", Position: 1, Mandatory: true}, {Name: "Status", Type: "string", Position: 2},
			{Name: "PercentComplete", Type: "int"}, {Name: "Completed", Type: "switch"}, {Name: "Id", Type: "int"},
		}, Run: writeProgress},
		// The one use of it that is known here shows nothing: the beginning of a list whose rest is left out.
		{Name: "Format-List", Parameters: []interp.Parameter{input()}, Run: func(ctx context.Context, c *interp.Call) error {
			if v, err := c.Session.Get(ctx, c.Input, "kinit"); err != nil || v == nil {
				return unknown.New("how Format-List shows an object")
			}
			return nil
		}},
		{Name: "Out-Null", Parameters: []interp.Parameter{input()}},
		{Name: "Out-String", Parameters: []interp.Parameter{input(), {Name: "Width", Type: "int"}, {Name: "Stream", Type: "switch"}}, Run: outString, End: outStringEnd},
		{Name: "Out-Default", Aliases: []string{"Out-Host", "oh"}, Parameters: []interp.Parameter{input()}, Run: func(ctx context.Context, c *interp.Call) error {
			for _, v := range each(c) {
				if err := c.Session.ShowHost(v); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func writeOutput(ctx context.Context, c *interp.Call) error {
	if c.Bool("NoEnumerate") {
		return c.WriteObject(ctx, c.Value("InputObject"))
	}
	if c.Piped {
		return c.WriteAll(ctx, c.Input)
	}
	return c.WriteAll(ctx, c.Value("InputObject"))
}

func writeError(ctx context.Context, c *interp.Call) error {
	if err := notHere(c, "ErrorRecord"); err != nil {
		return err
	}
	e, ok := value.Base(c.Value("Exception")).(*value.Exception)
	if !ok {
		e = value.NewException("Microsoft.PowerShell.Commands.WriteErrorException", c.String("Message"))
	}
	id := e.Type
	if c.Has("ErrorId") {
		id = c.String("ErrorId")
	}
	r := interp.NewError(e, id, c.String("Category"), c.Value("TargetObject"))
	if c.Has("Exception") && c.Has("Message") {
		r.Details = c.String("Message")
	}
	return c.WriteError(ctx, r)
}

func writeHost(ctx context.Context, c *interp.Call) error {
	separator := " "
	if c.Has("Separator") {
		separator = c.String("Separator")
	}
	var words []string
	for _, v := range value.Each(c.Value("Object")) {
		if o, ok := value.Base(v).(*value.Object); ok && o.Type != value.CustomObject && o.Text == nil {
			return unknown.New("Write-Host of a %s", o.Type)
		}
		words = append(words, value.String(v))
	}
	text := strings.Join(words, separator)
	if !c.Bool("NoNewline") {
		text += "\r\n"
	}
	return c.Session.WriteStream(ctx, '6', strings.TrimSuffix(text, "\r\n"), text)
}

func writeProgress(_ context.Context, c *interp.Call) error {
	if strings.EqualFold(value.String(c.Session.Variable("ProgressPreference")), "SilentlyContinue") {
		return nil
	}
	return unknown.New("Write-Progress while $ProgressPreference is not SilentlyContinue")
}

// outString joins text with ends of lines; other objects would be tables.
func outString(ctx context.Context, c *interp.Call) error {
	for _, v := range each(c) {
		text, err := interp.HostText(v)
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		if c.Bool("Stream") {
			if err := c.WriteObject(ctx, *text); err != nil {
				return err
			}
			continue
		}
		all, _ := c.State.(string)
		c.State = all + *text + "\r\n"
	}
	return nil
}

func outStringEnd(ctx context.Context, c *interp.Call) error {
	if c.Bool("Stream") {
		return nil
	}
	all, _ := c.State.(string)
	return c.WriteObject(ctx, all)
}

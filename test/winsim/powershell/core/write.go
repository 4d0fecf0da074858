package core

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func writeCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "Write-Output", Aliases: []string{"echo", "write"}, Parameters: []interp.Parameter{
			{Name: "InputObject", Position: 1, Mandatory: true, Pipeline: true, Remaining: true}, {Name: "NoEnumerate", Type: "switch"},
		}, Run: writeOutput},
		{Name: "Write-Host", Parameters: []interp.Parameter{
			{Name: "Object", Position: 1, Pipeline: true, Remaining: true}, {Name: "NoNewline", Type: "switch"}, {Name: "Separator"},
			{Name: "ForegroundColor", Type: "string"}, {Name: "BackgroundColor", Type: "string"},
		}, Run: writeHost},
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

package items

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (i module) properties() []interp.Cmdlet {
	force := cmdlet.Switch("Force")
	one := cmdlet.Needed(cmdlet.At(2, cmdlet.Text("Name")))
	kind := interp.Parameter{Name: "PropertyType", Aliases: []string{"Type"}, Type: "string",
		Values: []string{"String", "ExpandString", "Binary", "DWord", "MultiString", "QWord", "Unknown"}}
	return []interp.Cmdlet{
		{Name: "Get-ItemProperty", Aliases: []string{"gp"}, Run: i.getProperty, Parameters: append(pathParameters(), cmdlet.At(2, cmdlet.Texts("Name")))},
		{Name: "Get-ItemPropertyValue", Aliases: []string{"gpv"}, Run: i.getPropertyValue, Parameters: append(pathParameters(), cmdlet.Needed(cmdlet.At(2, cmdlet.Texts("Name"))))},
		{Name: "New-ItemProperty", Confirms: true, Run: i.newProperty, Parameters: append(pathParameters(), one, kind, cmdlet.Any("Value"), force)},
		{Name: "Set-ItemProperty", Aliases: []string{"sp"}, Confirms: true, Run: i.setProperty, Parameters: append(pathParameters(), one,
			cmdlet.At(3, cmdlet.Any("Value")), interp.Parameter{Name: "Type", Type: "string"}, force)},
		{Name: "Remove-ItemProperty", Aliases: []string{"rp"}, Confirms: true, Run: i.removeProperty, Parameters: append(pathParameters(), cmdlet.Needed(cmdlet.At(2, cmdlet.Texts("Name"))), force)},
	}
}

func (i module) getKey(ctx context.Context, c *interp.Call, l location) error {
	if !i.m.Registry.Has(l.path) {
		return cmdlet.Report(ctx, c, missing(c, l.asked))
	}
	return c.WriteObject(ctx, clr.Key(i.p, l.path))
}

func (i module) subkeys(ctx context.Context, c *interp.Call, l location) error {
	names, err := i.m.Registry.Keys(l.path)
	if err != nil {
		return cmdlet.Report(ctx, c, missing(c, l.asked))
	}
	for _, name := range names {
		if err := c.WriteObject(ctx, clr.Key(i.p, l.path+`\`+name)); err != nil {
			return err
		}
		if c.Bool("Recurse") {
			if err := i.subkeys(ctx, c, location{registryPS, l.path + `\` + name, l.asked}); err != nil {
				return err
			}
		}
	}
	return nil
}

// newKey makes a key. With -Force the keys above it are made too, and an existing
// key is recreated: its values are gone, as in Windows PowerShell.
func (i module) newKey(ctx context.Context, c *interp.Call, l location) error {
	above := l.path[:max(0, strings.LastIndexByte(l.path, '\\'))]
	switch there := i.m.Registry.Has(l.path); {
	case there && !c.Bool("Force"):
		return cmdlet.Report(ctx, c, ioFailure(c, "A key in this path already exists.", "ResourceExists", l))
	case there:
		if err := i.m.Registry.Delete(l.path, true); err != nil {
			return err
		}
	case !i.m.Registry.Has(above) && !c.Bool("Force"):
		return cmdlet.Report(ctx, c, ioFailure(c, "The registry key at the specified path does not exist.", "OpenError", l))
	}
	if err := i.m.Registry.Make(l.path); err != nil {
		return err
	}
	return c.WriteObject(ctx, clr.Key(i.p, l.path))
}

func (i module) removeKey(ctx context.Context, c *interp.Call, l location) error {
	err := i.m.Registry.Delete(l.path, c.Bool("Recurse"))
	switch {
	case errors.Is(err, winerr.FileNotFound):
		return cmdlet.Report(ctx, c, missing(c, l.asked))
	case errors.Is(err, winerr.InvalidParameter):
		return asks(c)
	}
	return err
}

// eachKey does something with every key that a cmdlet names, after it has reported those
// that are missing.
func (i module) eachKey(ctx context.Context, c *interp.Call, do func(l location) error) error {
	all, _ := paths(c)
	var found []location
	err := i.each(c, all, func(l location) error {
		if l.provider != registryPS {
			return unknown.New("%s %s", c.Cmdlet.Name, l.asked)
		}
		if !i.m.Registry.Has(l.path) {
			return cmdlet.Report(ctx, c, missing(c, l.asked))
		}
		found = append(found, l)
		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range found {
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// ioFailure is a failure of the registry that PowerShell gives as an IOException.
func ioFailure(c *interp.Call, message, category string, l location) cmdlet.Failure {
	const kind = "System.IO.IOException"
	return cmdlet.Failure{Type: kind, Message: message, ID: kind + "," + commands + cmdlet.Class(c), Category: category, Target: l.asked}
}

// noProperty is the failure of a value that a key has not.
func noProperty(c *interp.Call, name string, l location) cmdlet.Failure {
	full := strings.Replace(l.path, "HKLM", "HKEY_LOCAL_MACHINE", 1)
	return cmdlet.Failure{
		Type: "System.Management.Automation.PSArgumentException", Category: "InvalidArgument", Target: name,
		Message: "Property " + name + " does not exist at path " + full + ".", ID: "System.Management.Automation.PSArgumentException," + commands + cmdlet.Class(c),
	}
}

func (i module) getProperty(ctx context.Context, c *interp.Call) error {
	names := c.Strings("Name")
	return i.eachKey(ctx, c, func(l location) error {
		values, err := i.m.Registry.Values(l.path)
		if err != nil {
			return err
		}
		o := value.NewCustom()
		matched := false
		for _, v := range values {
			name := v.Name
			if name == "" {
				name = "(default)"
			}
			if cmdlet.Matches(name, names) {
				o.Add(value.P(name, clr.Value(i.p, v)))
				matched = true
			}
		}
		switch {
		case !matched && len(names) > 0 && !slices.ContainsFunc(names, value.HasWildcards):
			return cmdlet.Report(ctx, c, noProperty(c, names[0], l))
		case !matched:
			return nil
		}
		o.Add(value.P("PSPath", `Microsoft.PowerShell.Core\Registry::`+l.path))
		o.Add(value.P("PSChildName", l.path[strings.LastIndexByte(l.path, '\\')+1:]))
		return c.WriteObject(ctx, o)
	})
}

func (i module) getPropertyValue(ctx context.Context, c *interp.Call) error {
	return i.eachKey(ctx, c, func(l location) error {
		for _, name := range c.Strings("Name") {
			var err error
			if v, ok := i.m.Registry.Get(l.path, name); ok {
				err = c.WriteObject(ctx, clr.Value(i.p, v))
			} else {
				err = cmdlet.Report(ctx, c, noProperty(c, name, l))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (i module) newProperty(ctx context.Context, c *interp.Call) error {
	return i.eachKey(ctx, c, func(l location) error {
		if _, there := i.m.Registry.Get(l.path, c.String("Name")); there && !c.Bool("Force") {
			return cmdlet.Report(ctx, c, ioFailure(c, "The property already exists.", "ResourceExists", l))
		}
		return i.put(ctx, c, l, c.String("PropertyType"))
	})
}

// put sets a value and writes it, as New-ItemProperty does.
func (i module) put(ctx context.Context, c *interp.Call, l location, kind string) error {
	data := c.Value("Value")
	if strings.EqualFold(kind, "MultiString") {
		// PowerShell converts to what the kind needs, where .NET refuses.
		converted, err := value.Convert(data, "System.String[]")
		if err != nil {
			return err
		}
		data = converted
	}
	v, err := clr.ToValue(c.String("Name"), data, canonicalKind(kind))
	if err != nil {
		return err
	}
	if err := i.m.Registry.Set(l.path, v); err != nil {
		return err
	}
	if c.Cmdlet.Name != "New-ItemProperty" {
		return nil
	}
	return c.WriteObject(ctx, value.NewCustom(value.P(v.Name, clr.Value(i.p, v))))
}

func canonicalKind(text string) registry.Kind {
	for _, kind := range []registry.Kind{registry.String, registry.ExpandString, registry.Binary, registry.DWord, registry.MultiString, registry.QWord} {
		if strings.EqualFold(string(kind), text) {
			return kind
		}
	}
	return ""
}

func (i module) setProperty(ctx context.Context, c *interp.Call) error {
	return i.eachKey(ctx, c, func(l location) error {
		kind := c.String("Type")
		if old, there := i.m.Registry.Get(l.path, c.String("Name")); there && kind == "" {
			kind = string(old.Kind)
		}
		return i.put(ctx, c, l, kind)
	})
}

func (i module) removeProperty(ctx context.Context, c *interp.Call) error {
	return i.eachKey(ctx, c, func(l location) error {
		for _, name := range c.Strings("Name") {
			err := i.m.Registry.DeleteValue(l.path, name)
			if errors.Is(err, winerr.FileNotFound) {
				err = cmdlet.Report(ctx, c, noProperty(c, name, l))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

package items

import (
	"context"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Parameters that many cmdlets have.
func pathParameters() []interp.Parameter {
	return []interp.Parameter{
		{Name: "Path", Type: "string[]", Position: 1, Pipeline: true},
		{Name: "LiteralPath", Aliases: []string{"PSPath"}, Type: "string[]", ByName: true},
	}
}

// Cmdlets are the cmdlets as a process uses them.
func Cmdlets(p *machine.Process) []interp.Cmdlet {
	i := module{p.Machine, p}
	return slices.Concat(i.readers(), i.writers(), i.contents(), i.properties(), i.security(), i.locations())
}

func (i module) readers() []interp.Cmdlet {
	force := cmdlet.Switch("Force")
	return []interp.Cmdlet{
		{Name: "Test-Path", Run: i.test, Parameters: append(pathParameters(),
			interp.Parameter{Name: "PathType", Type: "string", Values: []string{"Any", "Container", "Leaf"}})},
		{Name: "Get-Item", Aliases: []string{"gi"}, Run: i.getItem, Parameters: append(pathParameters(), force)},
		{Name: "Get-ChildItem", Aliases: []string{"dir", "gci", "ls"}, Run: i.children, Parameters: append(pathParameters(), force,
			cmdlet.Switch("Recurse"), cmdlet.Switch("File"), cmdlet.Switch("Directory"), cmdlet.Text("Filter"), cmdlet.Switch("Name"))},
		{Name: "Resolve-Path", Run: i.resolve, Parameters: pathParameters()},
		{Name: "Get-PSDrive", Run: i.drives, Parameters: []interp.Parameter{cmdlet.At(1, cmdlet.Texts("Name")), cmdlet.Texts("PSProvider")}},
	}
}

func (i module) test(ctx context.Context, c *interp.Call) error {
	all, literal := paths(c)
	for _, path := range all {
		if path == "" {
			return cmdlet.Stop(c, cmdlet.Failure{
				Type: "System.Management.Automation.ParameterBindingValidationException", Category: "InvalidData",
				Message: "Cannot bind argument to parameter 'Path' because it is an empty string.",
				ID:      "ParameterArgumentValidationErrorEmptyStringNotAllowed," + commands + "TestPathCommand",
			})
		}
		there, container, err := i.look(c, path, literal)
		if err != nil {
			return err
		}
		switch strings.ToLower(c.String("PathType")) {
		case "container":
			there = there && container
		case "leaf":
			there = there && !container
		}
		if err := c.WriteObject(ctx, there); err != nil {
			return err
		}
	}
	return nil
}

// look reports whether there is something at a path, and whether it holds others.
func (i module) look(c *interp.Call, path string, literal bool) (there, container bool, _ error) {
	if name, isPipe := strings.CutPrefix(strings.ToLower(path), `\\.\pipe\`); isPipe {
		_, bound := i.m.Bound(machine.Pipe(name))
		return bound, false, nil
	}
	l, err := i.locate(c.Session, path)
	if err != nil {
		return false, false, err
	}
	switch l.provider {
	case registryPS:
		return i.m.Registry.Has(l.path), true, nil
	case wsman:
		return i.wsmanHas(l.path), true, nil
	case certificate:
		return i.certificateHas(l.path)
	case environment:
		_, ok := c.Session.Env.Get(l.path)
		return ok, false, nil
	}
	infos, err := i.expand(l.path, literal)
	if err != nil || len(infos) == 0 {
		return false, false, nil
	}
	return true, infos[0].IsDir(), nil
}

func (i module) getItem(ctx context.Context, c *interp.Call) error {
	all, _ := paths(c)
	return i.atEach(ctx, c, all, byProvider{
		registryPS: i.getKey, wsman: i.getSetting, certificate: i.getCertificate, environment: i.getVariable, fileSystem: i.getFile,
	})
}

func (i module) getFile(ctx context.Context, c *interp.Call, l location) error {
	_, literal := paths(c)
	return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error {
		if hidden(info) && !c.Bool("Force") {
			return cmdlet.Report(ctx, c, missing(c, l.asked))
		}
		return c.WriteObject(ctx, Object(i.m, info))
	})
}

func hidden(info ntfs.Info) bool { return info.Attributes&(ntfs.Hidden|ntfs.System) != 0 }

func (i module) getVariable(ctx context.Context, c *interp.Call, l location) error {
	text, ok := c.Session.Env.Get(l.path)
	if !ok {
		return cmdlet.Report(ctx, c, missing(c, l.asked))
	}
	return c.WriteObject(ctx, value.NewObject("System.Collections.DictionaryEntry", value.P("Name", l.path), value.P("Key", l.path), value.P("Value", text)))
}

func (i module) children(ctx context.Context, c *interp.Call) error {
	all, _ := paths(c)
	if len(all) == 0 {
		all = []string{c.Session.Dir}
	}
	return i.atEach(ctx, c, all, byProvider{registryPS: i.subkeys, wsman: i.settings, certificate: i.certificates, fileSystem: i.childFiles})
}

func (i module) childFiles(ctx context.Context, c *interp.Call, l location) error {
	_, literal := paths(c)
	return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error {
		if !info.IsDir() || !literal && value.HasWildcards(l.path) {
			return i.writeFile(ctx, c, info)
		}
		return i.walk(ctx, c, info.Path)
	})
}

// walk writes what is in a folder, and below it where that is asked for.
func (i module) walk(ctx context.Context, c *interp.Call, folder string) error {
	entries, err := i.m.Files.List(folder)
	if err != nil {
		return i.failed(ctx, c, folder, err)
	}
	for _, entry := range entries {
		if err := i.writeFile(ctx, c, entry); err != nil {
			return err
		}
		if c.Bool("Recurse") && entry.IsDir() && entry.Target == "" {
			if err := i.walk(ctx, c, entry.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFile writes one entry, unless a parameter leaves it out.
func (i module) writeFile(ctx context.Context, c *interp.Call, info ntfs.Info) error {
	if hidden(info) && !c.Bool("Force") || c.Bool("File") && info.IsDir() || c.Bool("Directory") && !info.IsDir() {
		return nil
	}
	if c.Has("Filter") && !cmdlet.Matches(info.Name, []string{c.String("Filter")}) {
		return nil
	}
	if c.Bool("Name") {
		return c.WriteObject(ctx, info.Name)
	}
	return c.WriteObject(ctx, Object(i.m, info))
}

func (i module) resolve(ctx context.Context, c *interp.Call) error {
	all, literal := paths(c)
	return i.each(c, all, func(l location) error {
		if l.provider != fileSystem {
			return unknown.New("Resolve-Path of %s", l.asked)
		}
		return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error {
			o := value.NewObject("System.Management.Automation.PathInfo", value.P("Path", info.Path), value.P("ProviderPath", info.Path))
			o.Text = func() string { return info.Path }
			return c.WriteObject(ctx, o)
		})
	})
}

func (i module) drives(ctx context.Context, c *interp.Call) error {
	for _, provider := range c.Strings("PSProvider") {
		if !strings.EqualFold(provider, fileSystem) {
			return unknown.New("the drives of the provider %s", provider)
		}
	}
	for _, d := range i.m.Files.Drives() {
		if !cmdlet.Matches(d.Letter, c.Strings("Name")) {
			continue
		}
		o := value.NewObject("System.Management.Automation.PSDriveInfo", value.P("Name", d.Letter), value.P("Root", d.Letter+`:\`),
			value.P("Description", d.Label), value.P("Free", d.Free), value.P("Used", d.Size-d.Free))
		o.Text = func() string { return d.Letter }
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

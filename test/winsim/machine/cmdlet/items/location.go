// Package items is the cmdlets of PowerShell that work on items of drives: files, keys
// of the registry, settings of WS-Management, certificates, variables of the environment.
package items

import (
	"context"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
)

// commands is the namespace of the cmdlets' classes, which is part of errors' ids.
const commands = "Microsoft.PowerShell.Commands."

// Providers of items.
const (
	fileSystem  = "FileSystem"
	registryPS  = "Registry"
	wsman       = "WSMan"
	certificate = "Certificate"
	environment = "Environment"
)

// location is a path with the provider that knows it.
type location struct {
	provider string
	path     string // as the provider takes it: C:\x, HKLM\SOFTWARE, localhost\Listener, …
	asked    string // as the script wrote it
}

// module is the cmdlets of one process.
type module struct {
	m *machine.Machine
	p *machine.Process
}

// locate finds the provider of a path.
func (i module) locate(s *interp.Session, path string) (location, error) {
	l := location{provider: fileSystem, asked: path}
	rest := path
	if _, qualified, ok := strings.Cut(rest, "::"); ok {
		name := path[:strings.Index(path, "::")]
		rest = qualified
		switch name[strings.LastIndexByte(name, '\\')+1:] {
		case registryPS:
			l.provider, l.path = registryPS, i.key(rest)
			return l, nil
		case fileSystem:
			l.path = s.Path(rest)
			return l, nil
		case wsman:
			l.provider, l.path = wsman, rest
			return l, nil
		default:
			return l, unknown.New("the provider of the path %s", path)
		}
	}
	drive, below, ok := strings.Cut(strings.ReplaceAll(rest, "/", `\`), ":")
	below = strings.Trim(below, `\`)
	switch strings.ToUpper(drive) {
	case "HKLM", "HKCU":
		if ok {
			l.provider, l.path = registryPS, i.key(strings.TrimSuffix(drive+`\`+below, `\`))
			return l, nil
		}
	case "WSMAN":
		l.provider, l.path = wsman, below
		return l, nil
	case "CERT":
		l.provider, l.path = certificate, below
		return l, nil
	case "ENV":
		l.provider, l.path = environment, below
		return l, nil
	}
	if ok && len(drive) > 1 && !strings.ContainsAny(drive, `\.`) {
		return l, unknown.New("the drive %s:", drive)
	}
	l.path = s.Path(path)
	return l, nil
}

// key is a path of the registry with the hive of the process' user.
func (i module) key(path string) string {
	return registry.For(i.p.User, strings.Trim(path, `\`))
}

// paths are the paths that a cmdlet is given: by -Path, where wildcards count, or by
// -LiteralPath.
func paths(c *interp.Call) (all []string, literal bool) {
	if c.Has("LiteralPath") {
		return c.Strings("LiteralPath"), true
	}
	return c.Strings("Path"), false
}

// each does something at every path of a cmdlet, in order.
func (i module) each(c *interp.Call, all []string, do func(l location) error) error {
	for _, path := range all {
		l, err := i.locate(c.Session, path)
		if err != nil {
			return err
		}
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// byProvider is what a cmdlet does at a path, by the path's provider.
type byProvider map[string]func(ctx context.Context, c *interp.Call, l location) error

// atEach does at every path, in order, what is done with its provider.
func (i module) atEach(ctx context.Context, c *interp.Call, all []string, do byProvider) error {
	return i.each(c, all, func(l location) error {
		run, ok := do[l.provider]
		if !ok {
			return unknown.New("%s %s", c.Cmdlet.Name, l.asked)
		}
		return run(ctx, c, l)
	})
}

// missing is the failure of a path that leads nowhere.
func missing(c *interp.Call, path string) cmdlet.Failure {
	return cmdlet.Failure{
		Type: "System.Management.Automation.ItemNotFoundException", Category: "ObjectNotFound", Target: path,
		Message: "Cannot find path '" + path + "' because it does not exist.",
		ID:      "PathNotFound," + commands + cmdlet.Class(c),
	}
}

package items

import (
	"context"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// locations are the cmdlets of the current folder. Drives other than those of files are
// not gone to.
func (i module) locations() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "Get-Location", Aliases: []string{"gl", "pwd"}, Run: i.getLocation},
		{Name: "Set-Location", Aliases: []string{"sl", "cd", "chdir"}, Run: i.setLocation, Parameters: pathParameters()},
	}
}

func (i module) getLocation(ctx context.Context, c *interp.Call) error {
	return c.WriteObject(ctx, value.NewObject("System.Management.Automation.PathInfo",
		value.P("Path", c.Session.Dir), value.P("ProviderPath", c.Session.Dir)))
}

func (i module) setLocation(_ context.Context, c *interp.Call) error {
	all, literal := paths(c)
	if len(all) != 1 {
		return unknown.New("Set-Location with %d paths", len(all))
	}
	l, err := i.locate(c.Session, all[0])
	if err != nil {
		return err
	}
	if l.provider != fileSystem {
		return unknown.New("Set-Location to %s", all[0])
	}
	infos, err := i.expand(l.path, literal)
	if err != nil || len(infos) != 1 || !infos[0].IsDir() {
		return cmdlet.Stop(c, missing(c, l.path))
	}
	c.Session.Dir = infos[0].Path
	return nil
}

package lock

import (
	_ "embed"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
)

//go:embed scripts/lock.ps1
var windowsScript string

// windowsCommand is the command of an operation on a Windows host.
func (p place) windowsCommand(o operation) module.Command {
	values := []string{
		"$lock = @{",
		"op = " + shell.PowerShell(o.name),
		"folder = " + shell.PowerShell(p.folder),
		"owner = " + shell.PowerShell(p.owner),
		"token = " + shell.PowerShell(p.token),
		"run = " + shell.PowerShell(Name(p.token)),
		"dead = " + shell.PowerShell(o.dead),
		"lifetime = " + hundredths(lifetime),
		"away = " + hundredths(o.away),
		"}",
	}
	return module.Command{Urgent: true, PowerShell: strings.Join(append(values, windowsScript), "\n"), Name: "the script of the lock"}
}

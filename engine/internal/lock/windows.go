package lock

import (
	_ "embed"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
)

// What the scripts for sh do, for a Windows host.
var (
	//go:embed take.ps1
	windowsTake string
	//go:embed release.ps1
	windowsRelease string
)

// windowsCommand is a script with its values before it. dead names a run that has died, or
// nobody.
func windowsCommand(script, file, token, dead string) module.Command {
	values := []string{
		"$lockFile = " + shell.PowerShell(file),
		"$lockToken = " + shell.PowerShell(token),
		"$deadToken = " + shell.PowerShell(dead),
		"$lifetime = " + seconds(lifetime),
		"$busyTime = " + seconds(busyTime),
	}
	return module.Command{PowerShell: strings.Join(append(values, script), "\n"), Name: "the script of the lock"}
}

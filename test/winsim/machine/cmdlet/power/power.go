// Package power is the cmdlets of the module Microsoft.PowerShell.Management that rename,
// restart and stop the computer, and those that start and look at processes.
package power

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
)

const commands = "Microsoft.PowerShell.Commands."

// module is the cmdlets of one process.
type module struct {
	m *machine.Machine
	p *machine.Process
}

// Cmdlets are the cmdlets on a machine as a process uses them.
func Cmdlets(p *machine.Process) []interp.Cmdlet {
	w := module{p.Machine, p}
	force := cmdlet.Switch("Force")
	process := []interp.Parameter{
		cmdlet.At(1, interp.Parameter{Name: "Name", Aliases: []string{"ProcessName"}, Type: "string[]"}),
		{Name: "Id", Aliases: []string{"PID"}, Type: "int[]"}, cmdlet.Piped(cmdlet.Any("InputObject")), force,
	}
	all := []interp.Cmdlet{
		{Name: "Rename-Computer", Confirms: true, Run: w.rename, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, cmdlet.Text("NewName"))), force, cmdlet.Switch("Restart"), cmdlet.Switch("PassThru"),
		}},
		{Name: "Restart-Computer", Confirms: true, Run: w.shutdown(true), Parameters: []interp.Parameter{force}},
		{Name: "Stop-Computer", Confirms: true, Run: w.shutdown(false), Parameters: []interp.Parameter{force}},
		{Name: "Get-Process", Aliases: []string{"gps", "ps"}, Run: w.processes, Parameters: process[:3]},
		{Name: "Stop-Process", Aliases: []string{"kill", "spps"}, Confirms: true, Run: w.stop, Parameters: append(process, cmdlet.Switch("PassThru"))},
		{Name: "Start-Process", Aliases: []string{"saps", "start"}, Run: w.start, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, interp.Parameter{Name: "FilePath", Aliases: []string{"PSPath"}, Type: "string"})),
			cmdlet.At(2, interp.Parameter{Name: "ArgumentList", Aliases: []string{"Args"}, Type: "string[]"}),
			cmdlet.Text("WorkingDirectory"), cmdlet.Switch("Wait"), cmdlet.Switch("PassThru"), cmdlet.Switch("NoNewWindow"), cmdlet.Text("WindowStyle"),
		}},
	}
	if w.m.Release().Build >= 20348 {
		all = append(all, interp.Cmdlet{Name: "Set-SConfig", Parameters: []interp.Parameter{cmdlet.Truth("AutoLaunch")}})
	}
	return all
}

func (w module) rename(_ context.Context, c *interp.Call) error {
	name := c.String("NewName")
	if strings.EqualFold(name, w.m.NextHostName()) {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.InvalidOperationException", Category: "InvalidOperation", Target: w.m.ComputerName(), ID: "NewNameIsOldName," + commands + "RenameComputerCommand",
			Message: fmt.Sprintf("Skip computer '%s' with new name '%s' because the new name is the same as the current name.", w.m.ComputerName(), name),
		})
	}
	if !validComputerName(name) {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.InvalidOperationException", Category: "InvalidArgument", Target: w.m.ComputerName(), ID: "InvalidNewName," + commands + "RenameComputerCommand",
			Message: fmt.Sprintf("Skip computer '%s' with new name '%s' because the new name is not valid. The new computer name entered is not properly formatted. Standard names may contain letters (a-z, A-Z), numbers (0-9), and hyphens (-), but no spaces or periods (.). The name may not consist entirely of digits, and may not be longer than 63 characters.", w.m.ComputerName(), name),
		})
	}
	if err := w.m.Rename(name); err != nil {
		return err
	}
	if c.Bool("Restart") {
		return w.m.Shutdown(0, true)
	}
	return nil
}

func validComputerName(name string) bool {
	if name == "" || len(name) > 63 || strings.Trim(name, "0123456789") == "" {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// shutdown begins at once and does not wait: what the script does after it may or may
// not be done.
func (w module) shutdown(restart bool) func(context.Context, *interp.Call) error {
	return func(_ context.Context, c *interp.Call) error {
		err := w.m.Shutdown(0, restart)
		if code := cmdlet.Code(err); code != 0 {
			return cmdlet.Stop(c, cmdlet.Failure{
				Type: "System.InvalidOperationException", Category: "OperationStopped", Message: w.m.Text(code), Target: w.m.ComputerName(),
				ID: "InvalidOperationException," + commands + cmdlet.Class(c),
			})
		}
		return err
	}
}

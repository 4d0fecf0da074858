// Package defender is the cmdlets of the module Defender.
package defender

import (
	"context"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

const cim = "Microsoft.Management.Infrastructure.CimInstance#ROOT/Microsoft/Windows/Defender/"

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets of the module on a machine; none where Defender is missing.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	if !m.HasDefender() {
		return nil
	}
	d := module{m}
	exclusions := []interp.Parameter{
		cmdlet.Texts("ExclusionPath"), cmdlet.Texts("ExclusionProcess"), cmdlet.Texts("ExclusionExtension"), cmdlet.Switch("Force"),
	}
	return []interp.Cmdlet{
		{Name: "Get-MpPreference", Run: d.get},
		{Name: "Add-MpPreference", Run: d.change(m.Exclude), Parameters: exclusions},
		{Name: "Remove-MpPreference", Run: d.change(m.Include), Parameters: exclusions},
		{Name: "Get-MpComputerStatus", Run: d.status},
	}
}

// notRunning is the failure of every cmdlet while the service does not run.
func (d module) notRunning(c *interp.Call) error {
	if status, err := d.m.Services.Status("WinDefend"); err == nil && status.State == scm.Running {
		return nil
	}
	return cmdlet.Stop(c, cmdlet.Failure{
		Type: "Microsoft.Management.Infrastructure.CimException", HResult: 0x80131500, Category: "NotSpecified",
		Message: "Operation failed with the following error: 0x800106ba.", ID: "HRESULT 0x800106ba," + c.Cmdlet.Name,
	})
}

// listOrNull is a list of exclusions; none is $null.
func listOrNull(all []string) any {
	if len(all) == 0 {
		return nil
	}
	return value.NewStrings(all...)
}

func (d module) get(ctx context.Context, c *interp.Call) error {
	if err := d.notRunning(c); err != nil {
		return err
	}
	e := d.m.Exclusions()
	return c.WriteObject(ctx, value.NewObject(cim+"MSFT_MpPreference", value.P("ExclusionPath", listOrNull(e.Paths)),
		value.P("ExclusionProcess", listOrNull(e.Processes)), value.P("ExclusionExtension", listOrNull(e.Extensions)),
		value.P("DisableRealtimeMonitoring", false)))
}

func (d module) change(do func(machine.Exclusions) error) func(context.Context, *interp.Call) error {
	return func(_ context.Context, c *interp.Call) error {
		if err := d.notRunning(c); err != nil {
			return err
		}
		return do(machine.Exclusions{
			Paths: c.Strings("ExclusionPath"), Processes: c.Strings("ExclusionProcess"), Extensions: c.Strings("ExclusionExtension"),
		})
	}
}

func (d module) status(ctx context.Context, c *interp.Call) error {
	if err := d.notRunning(c); err != nil {
		return err
	}
	return c.WriteObject(ctx, value.NewObject(cim+"MSFT_MpComputerStatus", value.P("AMServiceEnabled", true),
		value.P("AntivirusEnabled", true), value.P("RealTimeProtectionEnabled", true)))
}

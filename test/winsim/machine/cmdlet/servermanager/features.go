// Package servermanager is the cmdlets that install roles and features: those of the
// module ServerManager, and those of DISM for optional features.
package servermanager

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

const (
	featureType = "Microsoft.Windows.ServerManager.Commands.Feature"
	commands    = "Microsoft.Windows.ServerManager.Commands."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	f := module{m}
	name := cmdlet.At(1, cmdlet.Piped(cmdlet.Any("Name")))
	restart := cmdlet.Switch("Restart")
	online := cmdlet.Needed(cmdlet.Switch("Online"))
	features := cmdlet.Texts("FeatureName")
	noRestart := cmdlet.Switch("NoRestart")
	return []interp.Cmdlet{
		{Name: "Get-WindowsFeature", Parameters: []interp.Parameter{name}, Run: f.get},
		{Name: "Install-WindowsFeature", Aliases: []string{"Add-WindowsFeature"}, Confirms: true, Run: f.install, Parameters: []interp.Parameter{
			cmdlet.Needed(name), restart, cmdlet.Switch("IncludeAllSubFeature"), cmdlet.Switch("IncludeManagementTools"), cmdlet.Texts("Source"),
		}},
		{Name: "Uninstall-WindowsFeature", Aliases: []string{"Remove-WindowsFeature"}, Confirms: true, Run: f.uninstall, Parameters: []interp.Parameter{
			cmdlet.Needed(name), restart, cmdlet.Switch("IncludeManagementTools"),
		}},
		{Name: "Get-WindowsOptionalFeature", Parameters: []interp.Parameter{online, cmdlet.Text("FeatureName")}, Run: f.getOptional},
		{Name: "Enable-WindowsOptionalFeature", Run: f.enable, Parameters: []interp.Parameter{
			online, cmdlet.Needed(features), cmdlet.Switch("All"), noRestart, cmdlet.Texts("Source"), cmdlet.Switch("LimitAccess"),
		}},
		{Name: "Disable-WindowsOptionalFeature", Parameters: []interp.Parameter{online, cmdlet.Needed(features), noRestart}, Run: f.disable},
	}
}

// object is a feature as Server Manager shows it.
func (f module) object(one feature.Feature) *value.Object {
	state := f.m.Features.State(one.Name)
	display := one.Display
	if f.m.Language() == "de-DE" {
		display = one.German
	}
	depth := int32(1)
	for parent := one.Parent; parent != ""; depth++ {
		above, err := feature.Find(parent)
		if err != nil {
			break
		}
		parent = above.Parent
	}
	o := value.NewObject(featureType,
		value.P("Name", one.Name), value.P("DisplayName", display), value.P("Installed", state == feature.Installed),
		value.P("InstallState", installState(state)), value.P("FeatureType", one.Kind), value.P("Depth", depth),
		value.P("Parent", one.Parent), value.P("DependsOn", value.NewStrings(one.Needs...)),
		value.P("SubFeatures", value.NewStrings(feature.Below(one.Name)...)))
	o.Text = func() string { return featureType }
	o.Data = one.Name
	return o
}

func installState(s feature.State) value.Enum {
	number := map[feature.State]int64{feature.Available: 0, feature.Installed: 1, feature.Removed: 5, feature.InstallPending: 2, feature.UninstallPending: 3}[s]
	return value.NewEnum("Microsoft.Windows.ServerManager.Commands.InstallState", string(s), number)
}

// names are the features that a cmdlet is given, by name or object.
func names(c *interp.Call) []string { return cmdlet.Identities(c.Value("Name")) }

// get writes the features that fit; a name that fits none is no error.
func (f module) get(ctx context.Context, c *interp.Call) error {
	patterns := names(c)
	for _, one := range feature.Catalogue() {
		if !cmdlet.Matches(one.Name, patterns) {
			continue
		}
		if err := c.WriteObject(ctx, f.object(one)); err != nil {
			return err
		}
	}
	return nil
}

// invalid is the failure of names that there are no features of.
func invalid(c *interp.Call, e *feature.NotFound) error {
	return cmdlet.Stop(c, cmdlet.Failure{
		Type: "System.Exception", Category: "InvalidArgument", Target: e.Name,
		Message: fmt.Sprintf("ArgumentNotValid: The role, role service, or feature name is not valid: '%s'. The name was not found.", e.Name),
		ID:      "NameDoesNotExist," + commands + strings.ReplaceAll(strings.ReplaceAll(c.Cmdlet.Name, "Install-", "Add"), "Uninstall-", "Remove") + "Command",
	})
}

func (f module) install(ctx context.Context, c *interp.Call) error {
	change, err := f.m.Features.Install(names(c), c.Bool("IncludeManagementTools"), c.Bool("IncludeAllSubFeature"))
	var unknown *feature.NotFound
	switch {
	case errors.As(err, &unknown):
		return invalid(c, unknown)
	case errors.Is(err, feature.ErrSource):
		return f.sourceMissing(ctx, c)
	case err != nil:
		return err
	}
	if err := f.m.Apply(change); err != nil {
		return err
	}
	return f.result(ctx, c, change)
}

// sourceMissing is the failure to install what is not on the disk.
func (f module) sourceMissing(ctx context.Context, c *interp.Call) error {
	err := cmdlet.Report(ctx, c, cmdlet.Failure{
		Type: "System.Exception", Category: "InvalidOperation", HResult: 0x800f081f,
		Message: "The request to add or remove features on the specified server failed.\r\nInstallation of one or more roles, role services, or features failed.\r\nThe source files could not be found.",
		ID:      "DISMAPI_Error__Cbs_Download_Failure," + commands + "AddWindowsFeatureCommand",
	})
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, result(false, "No", "Failed", 1003, nil))
}

func (f module) uninstall(ctx context.Context, c *interp.Call) error {
	change, err := f.m.Features.Remove(names(c))
	if unknown, ok := errors.AsType[*feature.NotFound](err); ok {
		return invalid(c, unknown)
	}
	if err != nil {
		return err
	}
	if err := f.m.Apply(change); err != nil {
		return err
	}
	return f.result(ctx, c, change)
}

// result writes what a change did, and restarts where that was asked for.
func (f module) result(ctx context.Context, c *interp.Call, change feature.Change) error {
	restart, code, number := "No", "Success", int64(0)
	switch {
	case change.Restart || f.m.Features.Pending():
		restart, code, number = "Yes", "SuccessRestartRequired", 3010
	case len(change.Features) == 0:
		code, number = "NoChangeNeeded", 1003
	}
	var changed []any
	for _, name := range change.Features {
		one, err := feature.Find(name)
		if err != nil {
			return err
		}
		changed = append(changed, f.object(one))
	}
	if restart == "Yes" && c.Bool("Restart") {
		if err := f.m.Shutdown(0, true); err != nil {
			return err
		}
	}
	return c.WriteObject(ctx, result(true, restart, code, number, changed))
}

func result(success bool, restart, code string, number int64, changed []any) *value.Object {
	return value.NewObject("Microsoft.Windows.ServerManager.Commands.FeatureOperationResult",
		value.P("Success", success),
		value.P("RestartNeeded", value.NewEnum("Microsoft.Windows.ServerManager.Commands.RestartState", restart, map[string]int64{"Maybe": 0, "No": 1, "Yes": 2}[restart])),
		value.P("ExitCode", value.NewEnum("Microsoft.Windows.ServerManager.Commands.FeatureOperationExitCode", code, number)),
		value.P("FeatureResult", &value.Array{Items: changed, Elem: featureType}))
}

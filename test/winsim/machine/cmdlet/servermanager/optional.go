package servermanager

import (
	"context"
	"errors"
	"fmt"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// optionalState is a state as DISM names it (Microsoft.Dism.Commands.FeatureState).
func optionalState(s feature.State) value.Enum {
	name, number := "Disabled", int64(0)
	switch s {
	case feature.Installed:
		name, number = "Enabled", 2
	case feature.InstallPending:
		name, number = "EnablePending", 3
	case feature.UninstallPending:
		name, number = "DisablePending", 1
	case feature.Removed:
		name, number = "DisabledWithPayloadRemoved", 5
	}
	return value.NewEnum("Microsoft.Dism.Commands.FeatureState", name, number)
}

func (f module) optional(one feature.Feature, detailed bool) *value.Object {
	state := f.m.Features.State(one.Name)
	o := value.NewObject("Microsoft.Dism.Commands.BasicFeatureObject", value.P("FeatureName", one.Optional), value.P("State", optionalState(state)), value.P("Online", true))
	if detailed {
		o.Type = "Microsoft.Dism.Commands.AdvancedFeatureObject"
		required := value.NewEnum("Microsoft.Dism.Commands.RestartType", "No", 0)
		if one.Restart {
			required = value.NewEnum("Microsoft.Dism.Commands.RestartType", "Possible", 1)
		}
		o.Add(value.P("DisplayName", one.Display))
		o.Add(value.P("Description", one.Display))
		o.Add(value.P("RestartRequired", required))
	}
	return o
}

// getOptional writes all features, or the one that is named: details come only then.
// A name that there is no feature of writes nothing.
func (f module) getOptional(ctx context.Context, c *interp.Call) error {
	pattern := c.String("FeatureName")
	for _, one := range feature.Catalogue() {
		if one.Optional == "" || pattern != "" && !cmdlet.Matches(one.Optional, []string{pattern}) {
			continue
		}
		if err := c.WriteObject(ctx, f.optional(one, pattern != "")); err != nil {
			return err
		}
	}
	return nil
}

func (f module) enable(ctx context.Context, c *interp.Call) error {
	return f.dism(ctx, c, "EnableWindowsOptionalFeatureCommand", func(names []string) (feature.Change, error) {
		return f.m.Features.Install(names, false, false)
	})
}

func (f module) disable(ctx context.Context, c *interp.Call) error {
	return f.dism(ctx, c, "DisableWindowsOptionalFeatureCommand", f.m.Features.Remove)
}

// dism changes optional features by their own names.
func (f module) dism(ctx context.Context, c *interp.Call, command string, change func([]string) (feature.Change, error)) error {
	failed := func(code uint32, text string) error {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.Runtime.InteropServices.COMException", Message: text, HResult: code, Category: "NotSpecified",
			ID: "Microsoft.Dism.Commands." + command,
		})
	}
	for _, name := range c.Strings("FeatureName") {
		if one, err := feature.Find(name); err != nil || one.Optional == "" {
			return failed(0x800f080c, fmt.Sprintf("Feature name %s is unknown.", name))
		}
	}
	done, err := change(c.Strings("FeatureName"))
	if errors.Is(err, feature.ErrSource) {
		return failed(0x800f081f, "The source files could not be found.")
	}
	if err != nil {
		return err
	}
	if err := f.m.Apply(done); err != nil {
		return err
	}
	if done.Restart && !c.Bool("NoRestart") {
		f.m.Unknown("the question whether to restart of %s without -NoRestart", c.Cmdlet.Name)
	}
	return c.WriteObject(ctx, value.NewObject("Microsoft.Dism.Commands.ImageObject",
		value.P("Path", ""), value.P("Online", true), value.P("RestartNeeded", done.Restart)))
}

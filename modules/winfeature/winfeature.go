// Package winfeature is the module "win_feature": roles and features of a Windows
// host.
package winfeature

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed install.ps1
var installScript string

//go:embed remove.ps1
var removeScript string

// Task is features of Windows that are installed, or not. On Windows Server they are
// roles and features, as Get-WindowsFeature names them; on other editions optional
// features, as Get-WindowsOptionalFeature does.
//
// The host is not restarted: reboot_required says whether it must be, and win_reboot
// does it. A feature that waits for the restart counts as installed, or removed.
//
// Outputs:
//   - reboot_required: whether a feature waits for a restart of the host
//   - states: how each feature is, as Windows calls it, such as "Installed"
//
// Errors:
//   - Windows has no feature of the name
//   - the files of the feature are not on the host and cannot be fetched: give source
type Task struct {
	// Names are the features, such as ["Containers"].
	Names []string `hcl:"names"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
	// SubFeatures installs all features below those in names too, on Windows Server.
	// Default false.
	SubFeatures bool `hcl:"sub_features,optional"`
	// ManagementTools installs the tools to manage the features too, on Windows Server.
	// Default false.
	ManagementTools bool `hcl:"management_tools,optional"`
	// Source is where the files of the features are, where the host lacks them: a
	// folder, or "wim:D:/sources/install.wim:4". Default: as the host is configured.
	Source string `hcl:"source,optional"`

	restart bool // what the last change said
}

// Kind is the module "win_feature".
func Kind() module.Kind {
	return module.Kind{Name: "win_feature", OS: []module.OS{module.Windows}, Elsewhere: "package",
		New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if len(t.Names) == 0 {
		return errors.New("names is empty, want at least one feature")
	}
	for _, name := range t.Names {
		if name == "" || strings.ContainsAny(name, " *?\t\n") {
			return fmt.Errorf("names has %q, want the name of a feature such as \"Containers\"", name)
		}
	}
	if t.State == "absent" && (t.SubFeatures || t.ManagementTools || t.Source != "") {
		return errors.New("sub_features, management_tools and source are for features to install, want none with state = \"absent\"")
	}
	return fileattr.CheckState(t.State, "present", "absent")
}

// state is the features as the host has them.
type state struct {
	Server   bool
	Features []feature
}

type feature struct{ Name, State string }

// installed tells whether a feature is there, or will be after a restart. The states
// are those of InstallState and of DISM's FeatureState.
func (f feature) installed() bool {
	switch f.State {
	case "Installed", "InstallPending", "Enabled", "EnablePending":
		return true
	}
	return false
}

// pending tells whether a feature waits for a restart.
func (f feature) pending() bool { return strings.HasSuffix(f.State, "Pending") }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	return powershell.Read[state](ctx, h, readScript, map[string]any{"names": t.Names})
}

// Plan compares the features with the wish.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	names, err := t.decide(s)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	verb, script := "install", installScript
	if t.State == "absent" {
		verb, script = "remove", removeScript
	}
	text := fmt.Sprintf("%s %s", verb, strings.Join(names, ", "))
	return []module.Step{module.NewStep(text, func(ctx context.Context, h module.Host) error {
		return t.change(ctx, h, script, map[string]any{"server": s.Server, "names": names,
			"all": t.SubFeatures, "tools": t.ManagementTools, "source": t.Source})
	})}, nil
}

// decide lists the features that are to change.
func (t *Task) decide(s state) ([]string, error) {
	var names []string
	for _, f := range s.Features {
		switch {
		case f.State == "" && t.State == "absent":
		case f.State == "":
			return nil, fmt.Errorf("there is no feature %q on this host: Get-WindowsFeature lists those of a server, Get-WindowsOptionalFeature -Online those of other editions", f.Name)
		case f.installed() != (t.State == "present"):
			names = append(names, f.Name)
		}
	}
	return names, nil
}

func (t *Task) change(ctx context.Context, h module.Host, script string, args map[string]any) error {
	result, err := powershell.Value[struct{ Restart bool }](ctx, h, script, args)
	t.restart = t.restart || result.Restart
	return err
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"reboot_required": cty.Bool, "states": cty.Map(cty.String)}
}

// Outputs reads the features.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	restart := t.restart
	states := map[string]cty.Value{}
	for _, f := range s.Features {
		restart = restart || f.pending()
		states[f.Name] = cty.StringVal(f.State)
	}
	values := map[string]cty.Value{"reboot_required": cty.BoolVal(restart), "states": cty.MapValEmpty(cty.String)}
	if len(states) > 0 {
		values["states"] = cty.MapVal(states)
	}
	return values, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

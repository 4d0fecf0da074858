// Package winfeature is the module "win_feature": roles and features of a Windows
// host.
package winfeature

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed install.ps1
var installScript string

//go:embed remove.ps1
var removeScript string

// Task is installed or absent features of Windows. On Windows Server they are
// roles and features, by their names in Get-WindowsFeature; on other editions optional
// features, by their names in Get-WindowsOptionalFeature.
//
// The host is not restarted: reboot_required reports whether it must be, and win_reboot
// does it. A feature that waits for the restart counts as installed, or removed.
//
// Errors:
//   - Windows has no feature with the name
//   - the files of the feature are not on the host and cannot be fetched: give source
type Task struct {
	// Names are the features, such as ["Containers"].
	Names []string `hcl:"names" nonempty:"want at least one feature"`
	module.Presence
	// SubFeatures also installs all features below those in names, on Windows Server.
	SubFeatures bool `hcl:"sub_features,optional"`
	// ManagementTools also installs the tools to manage the features, on Windows Server.
	ManagementTools bool `hcl:"management_tools,optional"`
	// Source is the location of the features' files if the host lacks them: a
	// folder, or "wim:D:/sources/install.wim:4". Default: the host's configuration.
	Source string `hcl:"source,optional"`

	restart bool // whether the last change asked for a restart
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_feature", OS: []module.OS{module.Windows}, Elsewhere: "package"})
}

func (t *Task) Validate() error {
	for _, name := range t.Names {
		if name == "" || strings.ContainsAny(name, " *?\t\n") {
			return fmt.Errorf("names has %q, want the name of a feature such as \"Containers\"", name)
		}
	}
	if t.Absent() && (t.SubFeatures || t.ManagementTools || t.Source != "") {
		return errors.New("sub_features, management_tools and source are for features to install, want none with state = \"absent\"")
	}
	return nil
}

// state is the host's features.
type state struct {
	Server   bool
	Features []feature
}

type feature struct{ Name, State string }

// installed reports whether a feature is installed, or will be after a restart. The states
// are those of InstallState and of DISM's FeatureState.
func (f feature) installed() bool {
	return slices.Contains([]string{"Installed", "InstallPending", "Enabled", "EnablePending"}, f.State)
}

// pending reports whether a feature waits for a restart.
func (f feature) pending() bool { return strings.HasSuffix(f.State, "Pending") }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	return powershell.Read[state](ctx, h, readScript, map[string]any{"names": t.Names})
}

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
	if t.Absent() {
		verb, script = "remove", removeScript
	}
	text := fmt.Sprintf("%s %s", verb, strings.Join(names, ", "))
	return module.OneStep(text, func(ctx context.Context, h module.Host) error {
		return t.change(ctx, h, script, map[string]any{"server": s.Server, "names": names,
			"all": t.SubFeatures, "tools": t.ManagementTools, "source": t.Source})
	}), nil
}

func (t *Task) decide(s state) ([]string, error) {
	var names []string
	for _, f := range s.Features {
		switch {
		case f.State == "" && t.Absent():
		case f.State == "":
			return nil, fmt.Errorf("there is no feature %q on this host: Get-WindowsFeature lists those of a server, Get-WindowsOptionalFeature -Online those of other editions", f.Name)
		case f.installed() != (!t.Absent()):
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

type Outputs struct {
	RebootRequired bool              `cty:"reboot_required"` // whether a feature waits for a restart of the host
	States         map[string]string `cty:"states"`          // the state of each feature in Windows' words, such as "Installed"
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	values := Outputs{RebootRequired: t.restart, States: map[string]string{}}
	for _, f := range s.Features {
		values.RebootRequired = values.RebootRequired || f.pending()
		values.States[f.Name] = f.State
	}
	return values, err
}

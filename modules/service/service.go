// Package service is the module "service": a systemd unit that runs, is enabled,
// or is kinit's own.
package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// unitFolder is where the administrator's units are; man systemd.unit.
const unitFolder = "/etc/systemd/system/"

// Task is a unit of systemd. Arguments that are not given leave the unit as it
// is.
//
// A service of the distribution that kinit enables, disables, starts, stops or
// masks is marked with how it was, and cleanup brings that back. state = "absent"
// does so too, and removes a unit that kinit made.
//
// Outputs:
//   - name: the unit, with its suffix
//   - active: whether it runs
//   - enabled: whether it starts with the system
//
// Errors:
//   - systemd has no such unit
//   - it does not start; the last 20 lines of its journal are told
//   - a unit file with other content is there and the cluster does not own it
type Task struct {
	// Name is the unit; ".service" is added to a name without a dot.
	Name string `hcl:"name"`
	// Unit is the text of the unit file, for a unit of kinit's own. systemd reads
	// it again when it changes.
	Unit *string `hcl:"unit,optional"`
	// Enabled says whether the unit starts with the system.
	Enabled *bool `hcl:"enabled,optional"`
	// State is "started", "stopped" or "absent".
	State string `hcl:"state,optional"`
	// RestartOn is what the running service was started with, such as the
	// checksums of its configuration files. When it differs from the last start by
	// kinit, or that is not known, a running service is restarted. The text of
	// unit always belongs to it.
	RestartOn []string `hcl:"restart_on,optional"`
	// Masked says whether the unit can be started at all.
	Masked *bool `hcl:"masked,optional"`
}

// Kind is the module "service".
func Kind() module.Kind {
	return module.Kind{Name: "service", Elsewhere: "win_service", New: func() module.Task { return &Task{} }}
}

// unit is the full name.
func (t *Task) unit() string {
	if strings.Contains(t.Name, ".") {
		return t.Name
	}
	return t.Name + ".service"
}

func (t *Task) path() string { return unitFolder + t.unit() }

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch t.State {
	case "", "started", "stopped", "absent":
	default:
		return fmt.Errorf("state is %q, want one of started, stopped, absent", t.State)
	}
	switch {
	case t.Name == "" || strings.ContainsAny(t.Name, "/ \t\n") || strings.HasPrefix(t.Name, "-"):
		return fmt.Errorf("name is %q, want a unit such as \"containerd\" or \"kinit.target\"", t.Name)
	case t.State == "" && t.Unit == nil && t.Enabled == nil && t.Masked == nil && len(t.RestartOn) == 0:
		return errors.New("nothing is asked for, want state, enabled, unit, restart_on or masked")
	case is(t.Masked) && (t.Unit != nil || is(t.Enabled) || t.State == "started"):
		return errors.New("a masked unit cannot be started, want masked without unit, enabled = true and state = \"started\"")
	}
	return nil
}

// is tells whether an optional argument is given and true.
func is(b *bool) bool { return b != nil && *b }

// isNot tells whether an optional argument is given and false.
func isNot(b *bool) bool { return b != nil && !*b }

// Plan compares the unit with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(h, s)
	}
	return t.decide(h, s)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "active": cty.Bool, "enabled": cty.Bool}
}

// Outputs reads how the unit is.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.show(ctx, h)
	return map[string]cty.Value{
		"name":    cty.StringVal(t.unit()),
		"active":  cty.BoolVal(s.active()),
		"enabled": cty.BoolVal(s.enabled()),
	}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

// Package service is the module "service": a systemd unit that runs, is enabled,
// or is made by kinit.
package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/unitfile"
)

// Task is a unit of systemd. Arguments that are not given change nothing.
//
// state = "restarted", state = "reloaded" and daemon_reload are for handlers: outside of one
// they are a change in each run. restart_on restarts only if there is a reason.
//
// If kinit enables, disables, starts, stops or masks a service of the distribution, a
// mark records its former state, and cleanup restores it. state = "absent" does the
// same, and removes a unit that kinit made.
//
// A service with Type=oneshot runs in each run if state is "started", and is a change then. With RemainAfterExit=yes it
// counts as started after it ran.
//
// Errors:
//   - systemd has no such unit
//   - it does not start, or ends within half a second; the error has the last 20 lines of its journal
//   - a unit file with other content, or a link in its place, exists and the cluster does not own it
type Task struct {
	// Name is the unit; ".service" is added to a name without a type. Needed unless
	// daemon_reload is all that is asked for.
	Name string `hcl:"name,optional"`
	// Unit is the text of the unit file, for a unit that kinit makes. systemd reads
	// it again when it changes.
	Unit *string `hcl:"unit,optional"`
	// Enabled starts the unit at boot; false disables that.
	Enabled *bool `hcl:"enabled,optional"`
	// State is the wanted state. "restarted" and "reloaded" start a unit that does not run;
	// a unit that cannot be reloaded is an error.
	State string `hcl:"state,optional" enum:"started,stopped,restarted,reloaded,absent"`
	// RestartOn are the inputs of the running service, such as the checksums of its
	// configuration files. A running service is restarted if they differ from those at
	// kinit's last start of it, or if those are unknown. The text of unit is always
	// included.
	RestartOn []string `hcl:"restart_on,optional"`
	// DaemonReload has systemd read all unit files again. For the unit of the task itself it
	// is not needed.
	DaemonReload bool `hcl:"daemon_reload,optional"`
	// Masked makes it impossible to start the unit; false allows it again.
	Masked *bool `hcl:"masked,optional"`

	dropIn    dropIn
	done      *Done
	continues bool // a change is no reason to restart the running unit
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "service", Elsewhere: "win_service", Marks: []module.MarkKind{
		module.NewMarkKind("service", "service", undoService, module.Restores("service")),
	}})
}

func (t *Task) unit() string { return unitfile.Name(t.Name) }

func (t *Task) path() string { return unitfile.Folder + t.unit() }

func (t *Task) Validate() error {
	asked := t.State != "" || t.Unit != nil || t.Enabled != nil || t.Masked != nil || len(t.RestartOn) > 0
	switch {
	case t.Name == "" && t.DaemonReload && !asked:
		return nil
	case t.Name == "" || strings.ContainsAny(t.Name, "/ \t\n") || strings.HasPrefix(t.Name, "-"):
		return fmt.Errorf("name is %q, want a unit such as \"containerd\" or \"kinit.target\"", t.Name)
	case !asked && !t.DaemonReload:
		return errors.New("nothing is asked for, want state, enabled, unit, restart_on, masked or daemon_reload")
	case t.acts() && len(t.RestartOn) > 0:
		return fmt.Errorf("state is %q, which needs no reason: want it without restart_on", t.State)
	case is(t.Masked) && (t.Unit != nil || is(t.Enabled) || t.State == "started" || t.acts()):
		return errors.New("a masked unit cannot be started, want masked without unit, enabled = true and state = \"started\"")
	case t.State != "" && t.State != "absent" || t.Enabled != nil || t.Masked != nil || len(t.RestartOn) > 0:
		return unitfile.CheckRuns(t.unit())
	}
	return nil
}

// acts reports whether the state is an action, which is done each time.
func (t *Task) acts() bool { return t.State == "restarted" || t.State == "reloaded" }

// Unverifiable reports whether the task is a change in each run.
func (t *Task) Unverifiable() bool { return t.acts() || t.DaemonReload }

// is reports whether an optional argument is given and true.
func is(b *bool) bool { return b != nil && *b }

// isNot reports whether an optional argument is given and false.
func isNot(b *bool) bool { return b != nil && !*b }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Name == "" {
		return module.OneStep("reload systemd", reload), ctx.Err()
	}
	if t.done == nil {
		t.done = &Done{}
	}
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(h, s)
	}
	return t.decide(h, s)
}

type Outputs struct {
	Name    string `cty:"name"`    // the unit, with its suffix
	Active  bool   `cty:"active"`  // whether it runs
	Enabled bool   `cty:"enabled"` // whether it starts with the system
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	if t.Name == "" {
		return Outputs{}, ctx.Err()
	}
	s, err := show(ctx, h, t.unit())
	return Outputs{Name: t.unit(), Active: s.active(), Enabled: s.enabled()}, err
}

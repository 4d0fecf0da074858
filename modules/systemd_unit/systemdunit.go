// Package systemdunit is the module "systemd_unit": a unit of systemd from a text
// or a template, or a drop-in for another unit.
package systemdunit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/pathmark"
	"kinit/modules/internal/render"
	"kinit/modules/internal/unitfile"
	"kinit/modules/service"
)

// Task is a unit file in /etc/systemd/system, optionally enabled and started.
// systemd reads its files again after each change, and a running unit is restarted
// if it started with another text. With drop_in it is a file in NAME.d, which
// extends the unit of a package; absent then removes this file alone, and restarts nothing.
//
// Units that kinit makes are marked, and cleanup removes them; for a foreign unit that it
// enables or starts, cleanup restores the former state. On a host that belongs to a cluster,
// a foreign unit file is not replaced.
//
// Errors:
//   - the text has no section, or a line that systemd would ignore with a warning
//   - a sensitive value is in the content, the template or its values
//   - it does not start, or ends within half a second; the error has the last 20 lines of its journal
//   - a file with other content, or a link in its place, exists and the cluster does not own it
type Task struct {
	// Name is the unit, of any type that has files; ".service" is added to a name
	// without a type. A template such as "worker@" has neither state, enabled nor restart_on:
	// give those in the tasks of its instances, such as "worker@1" of the module service.
	Name string `hcl:"name"`
	// Content is the text of the file. Exactly one of content and template is given.
	// Every user of the host can read it: put secrets in a separate file, for
	// EnvironmentFile or LoadCredential.
	Content *string `hcl:"content,optional"`
	// Template is the text with HCL template syntax, as in the module template.
	Template *string `hcl:"template,optional"`
	// Vars are the values that the template can use.
	Vars cty.Value `hcl:"vars,optional"`
	// DropIn is the name of a file in the unit's folder for additions, without
	// ".conf", such as "50-limits". Default none: the file is the unit itself.
	DropIn string `hcl:"drop_in,optional"`
	// Enabled starts the unit at boot; false disables that. Default: unchanged.
	Enabled *bool `hcl:"enabled,optional"`
	// State is the wanted state. With "present", nothing is started or stopped.
	State string `hcl:"state,optional" enum:"started,stopped,present,absent" default:"present"`
	// RestartOn are further inputs of the running unit, such as checksums of
	// its configuration files. A running unit is restarted if they differ from those at
	// kinit's last start of it, or if those are unknown.
	RestartOn []string `hcl:"restart_on,optional"`

	sensitive bool // the text contains a sensitive value
	done      service.Done
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "systemd_unit", Elsewhere: "win_service", Marks: []module.MarkKind{
		module.NewMarkKind("unit", "unit", service.UndoUnit, module.MarkTraits{File: service.FileOf, Data: pathmark.Edited(service.FileOf), DataNoun: "edited unit"}),
	}})
}

// Hide marks a value in the text as sensitive, which is then refused.
func (t *Task) Hide(argument string) bool {
	hides := slices.Contains([]string{"content", "template", "vars"}, argument)
	t.sensitive = t.sensitive || hides
	return hides
}

var dropInName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

func (t *Task) Validate() error {
	if err := unitfile.CheckName(t.Name); err != nil {
		return err
	}
	if t.DropIn != "" && !dropInName.MatchString(t.DropIn) {
		return fmt.Errorf("drop_in is %q, want a file's name such as \"50-limits\"", t.DropIn)
	}
	if t.State == "absent" {
		return nil
	}
	if (t.Content == nil) == (t.Template == nil) {
		return errors.New("want exactly one of content and template")
	}
	if t.State != "present" || t.Enabled != nil || len(t.RestartOn) > 0 {
		if err := unitfile.CheckRuns(unitfile.Name(t.Name)); err != nil {
			return err
		}
	}
	_, err := t.text()
	return err
}

func (t *Task) text() (string, error) {
	text, err := "", error(nil)
	switch {
	case t.sensitive:
		return "", errors.New("a sensitive value is in the text, and everybody can read a unit: put it into a file for EnvironmentFile")
	case t.Content != nil:
		text = *t.Content
	case t.Template != nil:
		text, err = render.Text(*t.Template, t.Vars, false)
	}
	if err != nil {
		return "", err
	}
	if err := unitfile.Check(text); err != nil {
		return "", fmt.Errorf("the text of %s: %w", unitfile.Name(t.Name), err)
	}
	return text, nil
}

func (t *Task) path() string {
	if t.DropIn != "" {
		return unitfile.Folder + unitfile.Name(t.Name) + ".d/" + t.DropIn + ".conf"
	}
	return unitfile.Folder + unitfile.Name(t.Name)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.State == "absent" {
		return t.planAbsent(ctx, h)
	}
	text, err := t.text()
	switch {
	case err != nil:
		return nil, err
	case t.DropIn != "":
		return t.planDropIn(ctx, h, text)
	}
	unit := t.service()
	unit.Unit = &text
	return unit.Plan(ctx, h)
}

// service returns the part of the task that the module service does.
func (t *Task) service() *service.Task {
	s := &service.Task{Name: unitfile.Name(t.Name), Enabled: t.Enabled, RestartOn: t.RestartOn}
	s.Remember(&t.done)
	if t.State != "present" {
		s.State = t.State
	}
	return s
}

// planAbsent plans the removal of the unit, or of the drop-in alone: its unit belongs to a package,
// to an admin or to another task.
func (t *Task) planAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	unit := &service.Task{Name: unitfile.Name(t.Name), State: "absent"}
	if t.DropIn == "" {
		return unit.Plan(ctx, h)
	}
	unit.ForDropIn(t.DropIn, false)
	return module.PlanAll(ctx, h, t.reloaded(content.File{Path: t.path()}.PlanAbsent), unit.PlanForget)
}

type Outputs struct {
	Name    string `cty:"name"`    // the unit, with its suffix
	Path    string `cty:"path"`    // the file of the unit, or of the drop-in
	Active  bool   `cty:"active"`  // whether it runs
	Enabled bool   `cty:"enabled"` // whether it starts with the system
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	values, err := t.service().Outputs(ctx, h)
	return Outputs{Name: values.Name, Path: t.path(), Active: values.Active, Enabled: values.Enabled}, err
}

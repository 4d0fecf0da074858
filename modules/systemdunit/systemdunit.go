// Package systemdunit is the module "systemd_unit": a unit of systemd from a text
// or a template, or a drop-in of another's unit.
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
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/render"
	"kinit/modules/internal/unitfile"
	"kinit/modules/service"
)

// Task is a unit file in /etc/systemd/system, enabled and started as asked for.
// systemd reads its files again whenever one changes, and what runs is restarted
// when it was started with another text. With drop_in it is a file in NAME.d, which
// adds to the unit of a package.
//
// What kinit makes is marked, and cleanup removes it; a unit of others that it
// enables or starts comes back to how it was. On a host that belongs to a cluster a
// unit file of others is not replaced.
//
// Outputs:
//   - name: the unit, with its suffix
//   - path: the file of the unit, or of the drop-in
//   - active: whether it runs
//   - enabled: whether it starts with the system
//
// Errors:
//   - the text has no section, or a line that systemd would pass over with a warning
//   - a sensitive value is in the content, the template or its values
//   - it does not start; the last 20 lines of its journal are told
//   - a file with other content is there and the cluster does not own it
type Task struct {
	// Name is the unit, of any type that has files; ".service" is added to a name
	// without a dot.
	Name string `hcl:"name"`
	// Content is the text of the file. Exactly one of content and template is given.
	// Everybody on the host can read it: keep secrets in a file of their own, for
	// EnvironmentFile or LoadCredential.
	Content *string `hcl:"content,optional"`
	// Template is the text with HCL template syntax, as in the module template.
	Template *string `hcl:"template,optional"`
	// Vars are the values the template may name.
	Vars cty.Value `hcl:"vars,optional"`
	// DropIn is the name of a file in the unit's folder for additions, without
	// ".conf", such as "50-limits". Default none: the file is the unit itself.
	DropIn string `hcl:"drop_in,optional"`
	// Enabled says whether the unit starts with the system. Default: as it is.
	Enabled *bool `hcl:"enabled,optional"`
	// State is "started", "stopped", "present" or "absent". With "present", the
	// default, nothing is started or stopped.
	State string `hcl:"state,optional"`
	// RestartOn is what else the running unit was started with, such as checksums of
	// its configuration files. When it differs from the last start by kinit, or that
	// is not known, a running unit is restarted.
	RestartOn []string `hcl:"restart_on,optional"`

	sensitive bool // a value is in the text that must not be shown
}

// Kind is the module "systemd_unit".
func Kind() module.Kind {
	return module.Kind{Name: "systemd_unit", Elsewhere: "win_service", New: func() module.Task { return &Task{State: "present"} }}
}

// Hide says that a value in the text is sensitive, which is then refused.
func (t *Task) Hide(argument string) bool {
	hides := slices.Contains([]string{"content", "template", "vars"}, argument)
	t.sensitive = t.sensitive || hides
	return hides
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := unitfile.CheckName(t.Name); err != nil {
		return err
	}
	if t.DropIn != "" && !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`).MatchString(t.DropIn) {
		return fmt.Errorf("drop_in is %q, want a file's name such as \"50-limits\"", t.DropIn)
	}
	if err := fileattr.CheckState(t.State, "started", "stopped", "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	if (t.Content == nil) == (t.Template == nil) {
		return errors.New("want exactly one of content and template")
	}
	_, err := t.text()
	return err
}

// text is the content of the file.
func (t *Task) text() (string, error) {
	text := ""
	switch {
	case t.sensitive:
		return "", errors.New("a sensitive value is in the text, and everybody can read a unit: put it into a file for EnvironmentFile")
	case t.Content != nil:
		text = *t.Content
	case t.Template != nil:
		made, err := render.Text(*t.Template, t.Vars, false)
		if err != nil {
			return "", err
		}
		text = made
	}
	if err := unitfile.Check(text); err != nil {
		return "", fmt.Errorf("the text of %s: %w", unitfile.Name(t.Name), err)
	}
	return text, nil
}

// path is where the file is.
func (t *Task) path() string {
	if t.DropIn != "" {
		return unitfile.Folder + unitfile.Name(t.Name) + ".d/" + t.DropIn + ".conf"
	}
	return unitfile.Folder + unitfile.Name(t.Name)
}

// Plan compares the file and what systemd knows with the arguments.
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

// service is the part of the task that is that of the module service.
func (t *Task) service() *service.Task {
	s := &service.Task{Name: unitfile.Name(t.Name), Enabled: t.Enabled, RestartOn: t.RestartOn}
	if t.State != "present" {
		s.State = t.State
	}
	return s
}

func (t *Task) planAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	unit := &service.Task{Name: unitfile.Name(t.Name), State: "absent"}
	if t.DropIn == "" {
		return unit.Plan(ctx, h)
	}
	steps, err := (content.File{Path: t.path()}).PlanAbsent(ctx, h)
	if err != nil {
		return nil, err
	}
	rest, err := unit.Plan(ctx, h)
	return append(t.reloaded(steps), rest...), err
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	types := t.service().OutputTypes()
	types["path"] = cty.String
	return types
}

// Outputs reads how the unit is.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	values, err := t.service().Outputs(ctx, h)
	if err != nil {
		return nil, err
	}
	values["path"] = cty.StringVal(t.path())
	return values, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Discreet  = (*Task)(nil)
)

// Package wintask is the module "win_scheduled_task": a program that Windows starts
// with the host, each day, or once.
package wintask

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

//go:embed remove.ps1
var removeScript string

// Task is a scheduled task of a Windows host that runs a program as one of the system's
// accounts. It has all rights of the account, needs nobody to be logged in, and may run
// for as long as it takes. A start that was missed while the host was off is made up for.
//
// Outputs:
//   - name: the task with its folder, as schtasks.exe names it
//
// Errors:
//   - the scheduler refuses the task
type Task struct {
	// Name is the task with its folder, such as "kinit/renew".
	Name string `hcl:"name"`
	// Program is the path of the program, or its name where Windows finds it.
	Program string `hcl:"program,optional"`
	// Arguments are those of the program.
	Arguments []string `hcl:"arguments,optional"`
	// Dir is the working directory. Default: that of Windows.
	Dir string `hcl:"dir,optional"`
	// User is "system", "local_service" or "network_service". Default "system".
	User string `hcl:"user,optional"`
	// Startup starts the program with the host.
	Startup bool `hcl:"startup,optional"`
	// Daily is a time of day at which the program is started, such as "03:30", by the
	// host's clock.
	Daily string `hcl:"daily,optional"`
	// Once is a time at which the program is started, such as "2026-01-31T03:30:00", by
	// the host's clock.
	Once string `hcl:"once,optional"`
	// Description says what the task is for.
	Description string `hcl:"description,optional"`
	// Enabled says whether the task is started at its times. Default true.
	Enabled bool `hcl:"enabled,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "win_scheduled_task".
func Kind() module.Kind {
	return module.Kind{Name: "win_scheduled_task", OS: []module.OS{module.Windows}, Elsewhere: "timer",
		New: func() module.Task { return &Task{User: "system", Enabled: true, State: "present"} }}
}

// users are the SIDs of the accounts, as Windows defines them.
func users() map[string]string {
	return map[string]string{"system": "S-1-5-18", "local_service": "S-1-5-19", "network_service": "S-1-5-20"}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if !regexp.MustCompile(`^[^\\/:*?"<>|\[\]\n]+(/[^\\/:*?"<>|\[\]\n]+)*$`).MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a name with folders before it, such as \"kinit/renew\"", t.Name)
	}
	if t.State == "absent" {
		return nil
	}
	if t.Dir != "" {
		if err := winpath.Check("dir", t.Dir); err != nil {
			return err
		}
	}
	switch {
	case t.Program == "" || strings.ContainsAny(t.Program, "\"\n"):
		return fmt.Errorf("program is %q, want the path of a program", t.Program)
	case users()[t.User] == "":
		return fmt.Errorf("user is %q, want system, local_service or network_service", t.User)
	case !t.Startup && t.Daily == "" && t.Once == "":
		return errors.New("nothing starts the task, want startup, daily or once")
	}
	return t.checkTimes()
}

func (t *Task) checkTimes() error {
	if _, err := time.Parse("15:04", t.Daily); t.Daily != "" && err != nil {
		return fmt.Errorf("daily is %q, want a time such as \"03:30\"", t.Daily)
	}
	if _, err := time.Parse(boundary, t.Once); t.Once != "" && err != nil {
		return fmt.Errorf("once is %q, want a time such as \"2026-01-31T03:30:00\"", t.Once)
	}
	return nil
}

// Plan compares the task with the wish.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	want := t.definition()
	have, err := powershell.Read[definition](ctx, h, readScript, want.place)
	if err != nil {
		return nil, err
	}
	switch {
	case t.State == "absent" && have.There:
		return []module.Step{powershell.Step("remove task "+t.Name, removeScript, want.place)}, nil
	case t.State == "absent":
		return nil, nil
	case !have.There:
		return []module.Step{powershell.Step("create task "+t.Name+" for "+t.Program, setScript, want)}, nil
	}
	changes := have.diff(want)
	if len(changes) == 0 {
		return nil, nil
	}
	return []module.Step{powershell.Step("change task "+t.Name+": "+strings.Join(changes, ", "), setScript, want)}, nil
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"name": cty.String} }

// Outputs returns the name.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	at := t.place()
	return map[string]cty.Value{"name": cty.StringVal(at.Path + at.Name)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

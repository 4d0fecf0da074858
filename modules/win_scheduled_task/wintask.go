// Package wintask is the module "win_scheduled_task": a program that Windows starts
// at boot, each day, every few minutes, or once.
package wintask

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"kinit/engine/module"
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
// accounts. It has all rights of the account, runs without a login, and has no time limit. A
// start that was missed while the host was off is made up for.
//
// Errors:
//   - the scheduler refuses the task
type Task struct {
	// Name is the task with its folder, such as "kinit/renew".
	Name string `hcl:"name"`
	// Program is the path of the program, or its name if Windows can find it.
	Program string `hcl:"program,optional"`
	// Arguments are the program's arguments.
	Arguments []string `hcl:"arguments,optional"`
	// Dir is the working directory. Default: Windows' own.
	Dir string `hcl:"dir,optional"`
	// User is the account that runs the program.
	User string `hcl:"user,optional" enum:"system,local_service,network_service" default:"system"`
	// Startup starts the program at boot.
	Startup bool `hcl:"startup,optional"`
	// Daily is the time of day of a daily start, such as "03:30", by the
	// host's clock.
	Daily string `hcl:"daily,optional"`
	// Once is the time of a single start, such as "2026-01-31T03:30:00", by
	// the host's clock.
	Once string `hcl:"once,optional"`
	// Every starts the program again after this time, in whole minutes, unless it still runs. Use it
	// to restart a program that should always run.
	Every module.Duration `hcl:"every,optional"`
	// Description is the task's description.
	Description string `hcl:"description,optional"`
	// Enabled starts the task at its times.
	Enabled bool `hcl:"enabled,optional" default:"true"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_scheduled_task", OS: []module.OS{module.Windows}, Elsewhere: "timer"})
}

// users are the SIDs of the accounts, as Windows defines them.
func users() map[string]string {
	return map[string]string{"system": "S-1-5-18", "local_service": "S-1-5-19", "network_service": "S-1-5-20"}
}

func (t *Task) Validate() error {
	if !regexp.MustCompile(`^[^\\/:*?"<>|\[\]\n]+(/[^\\/:*?"<>|\[\]\n]+)*$`).MatchString(t.Name) {
		return fmt.Errorf("name is %q, want a name with folders before it, such as \"kinit/renew\"", t.Name)
	}
	if t.Absent() {
		return nil
	}
	if err := winpath.CheckGiven("dir", t.Dir); err != nil {
		return err
	}
	switch {
	case t.Program == "" || strings.ContainsAny(t.Program, "\"\n"):
		return fmt.Errorf("program is %q, want the path of a program", t.Program)
	case !t.Startup && t.Daily == "" && t.Once == "" && t.Every == "":
		return errors.New("nothing starts the task, want startup, daily, every or once")
	}
	if every := t.Every.Time(); t.Every != "" && (every < time.Minute || every > longestInterval || every%time.Minute != 0) {
		return fmt.Errorf("every is %q, want whole minutes such as \"5m\", and at most 31 days", t.Every)
	}
	if _, err := time.Parse("15:04", t.Daily); t.Daily != "" && err != nil {
		return fmt.Errorf("daily is %q, want a time such as \"03:30\"", t.Daily)
	}
	if _, err := time.Parse(boundary, t.Once); t.Once != "" && err != nil {
		return fmt.Errorf("once is %q, want a time such as \"2026-01-31T03:30:00\"", t.Once)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	want := t.definition()
	have, err := powershell.Read[definition](ctx, h, readScript, want.place)
	switch {
	case err != nil || t.Absent() && !have.There:
		return nil, err
	case t.Absent():
		return powershell.OneStep("remove task "+t.Name, removeScript, want.place), nil
	case !have.There:
		return powershell.OneStep("create task "+t.Name+" for "+t.Program, setScript, want), nil
	}
	return powershell.OneStep(powershell.Differences(have.diff(want)).Text("task "+t.Name), setScript, want), nil
}

type Outputs struct {
	Name string `cty:"name"` // the task with its folder, as schtasks.exe names it
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	at := t.place()
	return Outputs{Name: at.Path + at.Name}, nil
}

// Package cron is the module "cron": a command that the cron daemon of the host
// runs at set times.
package cron

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
)

// Task is a command that cron runs at set times. It is a file in /etc/cron.d, or an
// entry of a user's crontab below a comment with the task's name. Cron notices both
// by itself. It must be installed; on a host with systemd the module timer needs no
// package.
//
// The file or entry is marked, and cleanup removes it.
//
// Errors:
//   - cron does not take the schedule: it would pass over the job in silence
//   - cron is not installed: the folder /etc/cron.d or the program crontab is missing
//   - env is given with crontab: it would count for other jobs too
//   - another job has the name and the cluster does not own it
type Task struct {
	// Name tells the job from others: letters, digits, "-" and "_". The file is
	// /etc/cron.d/kinit-NAME, the comment "# kinit: NAME".
	Name string `hcl:"name"`
	// Schedule is when, in local time: five fields for minute, hour, day, month and
	// weekday, or "@hourly", "@daily", "@weekly", "@monthly", "@yearly" or
	// "@reboot"; man 5 crontab.
	Schedule string `hcl:"schedule,optional"`
	// Job is the command line for sh, as a shell takes it: "%" needs no backslash.
	Job string `hcl:"job,optional"`
	// User runs the job. Default "root".
	User string `hcl:"user,optional"`
	// Env are variables of the job, in a file only. MAILTO and PATH are cron's own.
	Env map[string]string `hcl:"env,optional"`
	// Crontab puts the job into the user's crontab instead of a file. Default false.
	Crontab bool `hcl:"crontab,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "cron".
func Kind() module.Kind {
	return module.Kind{Name: "cron", Elsewhere: "win_scheduled_task", New: func() module.Task { return &Task{User: "root", State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	// Cron passes over files in /etc/cron.d with other letters in their names.
	if !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(t.Name) {
		return fmt.Errorf("name is %q, want letters, digits, \"-\" and \"_\"", t.Name)
	}
	if err := account.CheckName("user", t.User); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	switch {
	case strings.TrimSpace(t.Job) == "" || strings.ContainsAny(t.Job, "\r\n"):
		return fmt.Errorf("job is %q, want one command line", t.Job)
	case t.Crontab && len(t.Env) > 0:
		return errors.New("env is for a file only, as it would count for all later jobs of the crontab: put it into job")
	}
	for name, value := range t.Env {
		if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) || strings.ContainsAny(value, "\r\n\"") {
			return fmt.Errorf("env has %s = %q, want a variable's name and one line without double quotes", name, value)
		}
	}
	return checkSchedule(t.Schedule)
}

// entry is the line of the job: cron ends a command at a "%".
func (t *Task) entry(fields ...string) string {
	all := append([]string{strings.Join(strings.Fields(t.Schedule), " ")}, fields...)
	return strings.Join(append(all, strings.ReplaceAll(t.Job, "%", `\%`)), " ")
}

// file is the file of the job. The last line must end.
func (t *Task) file() content.File {
	text := "# Made by kinit.\n"
	for _, name := range slices.Sorted(maps.Keys(t.Env)) {
		text += fmt.Sprintf("%s=\"%s\"\n", name, t.Env[name])
	}
	return content.File{
		Path:   "/etc/cron.d/kinit-" + t.Name,
		Source: content.FromText([]byte(text + t.entry(t.User) + "\n")),
		Want:   fileattr.Want{Mode: "0644", Owner: "root"},
		Advice: "choose another name, or move it away",
	}
}

// Plan compares the file or the crontab with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	switch {
	case t.Crontab:
		return t.planTable(ctx, h)
	case t.State == "absent":
		return t.file().PlanAbsent(ctx, h)
	}
	return t.file().Plan(ctx, h)
}

var _ module.Validator = (*Task)(nil)

// Package cron is the module "cron": a command that the host's cron daemon runs at set
// times.
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
// entry of a user's crontab below a comment with the task's name. Cron notices changes of
// both by itself. It must be installed; on a host with systemd the module timer needs no
// package.
//
// The file or entry is marked, and cleanup removes it.
//
// Errors:
//   - cron does not accept the schedule: it would silently ignore the job
//   - job has a backslash before "%", as a crontab needs it: kinit writes it
//   - cron is not installed: the folder /etc/cron.d or the program crontab is missing
//   - env is given with crontab: it would also affect other jobs
//   - another job has the name and the cluster does not own it
type Task struct {
	// Name identifies the job: letters, digits, "-" and "_". The file is
	// /etc/cron.d/kinit-NAME, the comment "# kinit: NAME".
	Name string `hcl:"name"`
	// Schedule is the schedule in local time: five fields for minute, hour, day, month and
	// weekday, or "@hourly", "@daily", "@weekly", "@monthly", "@yearly" or
	// "@reboot"; man 5 crontab.
	Schedule string `hcl:"schedule,optional"`
	// Job is the command line for sh, in shell syntax: "%" has no backslash.
	Job string `hcl:"job,optional"`
	// User runs the job.
	User string `hcl:"user,optional" default:"root"`
	// Env are variables of the job, only in a file. MAILTO and PATH have a meaning for cron.
	Env map[string]string `hcl:"env,optional"`
	// Crontab puts the job into the user's crontab instead of a file.
	Crontab bool `hcl:"crontab,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "cron", Elsewhere: "win_scheduled_task", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "crontab entry", Undo, module.MarkTraits{}),
	}})
}

var (
	// fileName matches the names of files that cron reads in /etc/cron.d.
	fileName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (t *Task) Validate() error {
	if !fileName.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want letters, digits, \"-\" and \"_\"", t.Name)
	}
	if err := account.CheckName("user", t.User); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	switch {
	case strings.TrimSpace(t.Job) == "" || strings.ContainsAny(t.Job, "\r\n"):
		return fmt.Errorf("job is %q, want one command line", t.Job)
	case strings.Contains(t.Job, `\%`): // cron takes the first of two backslashes for an escape, and ends the command at "%"
		return errors.New("job has a backslash before \"%\": want \"%\" alone, kinit escapes it for cron")
	case t.Crontab && len(t.Env) > 0:
		return errors.New("env is for a file only, as it would count for all later jobs of the crontab: put it into job")
	}
	for name, value := range t.Env {
		if !variable.MatchString(name) || strings.ContainsAny(value, "\r\n\"") {
			return fmt.Errorf("env has %s = %q, want a variable's name and one line without double quotes", name, value)
		}
	}
	// Cron itself would ignore the whole file and report it only in a log.
	if slices.Contains([]string{"@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}, t.Schedule) {
		return nil
	}
	parts := strings.Fields(t.Schedule)
	if len(parts) != len(fields) || strings.ContainsAny(t.Schedule, "\r\n") {
		return fmt.Errorf("schedule is %q, want five fields such as \"*/5 * * * *\", or \"@daily\"", t.Schedule)
	}
	for i, f := range fields {
		for one := range strings.SplitSeq(parts[i], ",") {
			if !f.takes(one) {
				return fmt.Errorf("schedule has the %s %q, want %s", f.name, parts[i], f)
			}
		}
	}
	return nil
}

// entry returns the job's line; it escapes "%", which ends a command for cron.
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

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	switch {
	case t.Crontab:
		return t.planTable(ctx, h)
	case t.Absent():
		return t.file().PlanAbsent(ctx, h)
	}
	return t.file().Plan(ctx, h)
}

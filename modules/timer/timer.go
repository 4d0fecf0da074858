// Package timer is the module "timer": a command that systemd runs at set times.
package timer

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/unitfile"
	"kinit/modules/service"
)

// Task is a command that systemd runs at set times. Its units are NAME.timer and
// NAME.service in /etc/systemd/system. The timer is enabled, and restarted when its
// text changes; a current run of the service continues.
//
// The units are marked, and cleanup removes them. On a host that belongs to a
// cluster, foreign units are not replaced.
//
// Errors:
//   - systemd does not understand a time; the error has its message
//   - no time is given, or every without on_boot or on_calendar for the first start
//   - the program in command is not an absolute path
//   - a unit file with other content, or a link in its place, exists and the cluster does not own it
type Task struct {
	// Name is the name of both units without the ending.
	Name string `hcl:"name"`
	// Description is the description of the units. Default: the name.
	Description string `hcl:"description,optional"`
	// Command is the program, by its absolute path, and its arguments, which are passed
	// literally: no shell, no variables.
	Command []string `hcl:"command,optional"`
	// User runs the command.
	User string `hcl:"user,optional" default:"root"`
	// Env are variables of the command. Every user of the host can read them.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the absolute path of the command's working folder.
	Dir string `hcl:"dir,optional" default:"/"`
	// OnCalendar are times, such as "daily" or "Mon..Fri 06:30"; man 7 systemd.time,
	// CALENDAR EVENTS. At least one of on_calendar, on_boot and every is given.
	OnCalendar []string `hcl:"on_calendar,optional"`
	// OnBoot is a time after the boot, such as "5min"; man 7 systemd.time, PARSING
	// TIME SPANS.
	OnBoot string `hcl:"on_boot,optional"`
	// Every is a time after the last start of the service, such as "1h". It needs a
	// first start: also give on_boot.
	Every string `hcl:"every,optional"`
	// RandomDelay is the greatest random delay of a run, such as "10min",
	// so that many hosts do not start at once. Default none.
	RandomDelay string `hcl:"random_delay,optional"`
	// Persistent catches up on a time of on_calendar at which the host was off.
	Persistent bool `hcl:"persistent,optional" default:"true"`
	// State is the wanted state. A stopped timer exists, is disabled, and does not run.
	State string `hcl:"state,optional" enum:"started,stopped,absent" default:"started"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "timer", Elsewhere: "win_scheduled_task"})
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (t *Task) Validate() error {
	if err := unitfile.CheckName(t.timer()); err != nil || strings.Contains(t.Name, "@") {
		return fmt.Errorf("name is %q, want letters, digits, \"-\", \"_\" and \".\"", t.Name)
	}
	if t.State == "absent" {
		return nil
	}
	if err := account.CheckName("user", t.User); err != nil {
		return err
	}
	switch {
	case len(t.Command) == 0 || !strings.HasPrefix(t.Command[0], "/"):
		return fmt.Errorf("command is %q, want a program's absolute path and its arguments", t.Command)
	case len(t.OnCalendar) == 0 && t.OnBoot == "" && t.Every == "":
		return errors.New("no time is given, want on_calendar, on_boot or every")
	case t.Every != "" && t.OnBoot == "" && len(t.OnCalendar) == 0:
		return errors.New("every counts from the last start, want on_boot or on_calendar for the first one")
	case strings.ContainsAny(t.Description+t.Dir+t.OnBoot+t.Every+t.RandomDelay+strings.Join(t.OnCalendar, ""), "\r\n\\"):
		return errors.New("an argument has a line break or a backslash, want one line")
	case !strings.HasPrefix(t.Dir, "/"):
		return fmt.Errorf("dir is %q, want an absolute path", t.Dir)
	}
	for name := range t.Env {
		if !variable.MatchString(name) {
			return fmt.Errorf("env has %q, want a variable's name", name)
		}
	}
	return nil
}

func (t *Task) timer() string   { return t.Name + ".timer" }
func (t *Task) service() string { return t.Name + ".service" }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	first, second := t.units()
	if t.State != "absent" {
		if err := t.checkTimes(ctx, h); err != nil {
			return nil, err
		}
	}
	return module.PlanAll(ctx, h, first.Plan, second.Plan)
}

// units returns both units as tasks of the module service, in the order in which they
// are made or removed.
func (t *Task) units() (first, second *service.Task) {
	run := &service.Task{Name: t.service()}
	run.Continue()
	when := &service.Task{Name: t.timer(), State: t.State}
	if t.State == "absent" {
		run.State = "absent"
		return when, run
	}
	serviceText, timerText, started := t.serviceText(), t.timerText(), t.State == "started"
	run.Unit, when.Unit, when.Enabled = &serviceText, &timerText, &started
	return run, when
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	values, err := (&service.Task{Name: t.timer()}).Outputs(ctx, h)
	return Outputs(values), err
}

type Outputs struct {
	Name    string `cty:"name"`    // the timer, with its suffix
	Active  bool   `cty:"active"`  // whether the timer runs
	Enabled bool   `cty:"enabled"` // whether it starts with the system
}

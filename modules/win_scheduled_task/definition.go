package wintask

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kinit/modules/internal/powershell"
	"kinit/modules/internal/wincmdline"
	"kinit/modules/internal/winpath"
)

// boundary is the scheduler's format for a time of the host's clock.
const boundary = "2006-01-02T15:04:05"

// The kinds of triggers, which are classes of CIM.
const (
	atBoot  = "MSFT_TaskBootTrigger"
	daily   = "MSFT_TaskDailyTrigger"
	atATime = "MSFT_TaskTimeTrigger"
)

// A task with a repetition begins in the past, so that it is repeated from now on. The scheduler
// takes intervals from a minute to 31 days (RepetitionPattern.Interval).
const (
	longAgo         = "2020-01-01T00:00:00"
	longestInterval = 31 * 24 * time.Hour
)

// unlimited removes the limit of a task's run time; the scheduler's own limit is three
// days (TaskSettings.ExecutionTimeLimit).
const unlimited = "PT0S"

// place is a task's folder and name.
type place struct {
	Path string `json:"path"` // the folder, between backslashes
	Name string `json:"name"`
}

// definition is a task in the scheduler's form.
type definition struct {
	place
	There       bool      `json:"there"`
	Program     string    `json:"program"`
	Arguments   string    `json:"arguments"` // one command line
	Folder      string    `json:"folder"`
	Actions     int       `json:"actions"`
	User        string    `json:"user"` // a SID
	Description string    `json:"description"`
	Enabled     bool      `json:"enabled"`
	Limit       string    `json:"limit"` // after how long it is ended
	Triggers    []trigger `json:"triggers"`
}

type trigger struct {
	Kind  string `json:"kind"`
	Start string `json:"start"`
	Every string `json:"every"` // between repetitions, such as "PT5M"; empty without
	// Minutes is the same for the command that makes triggers.
	Minutes int `json:"minutes"`
}

func (t *Task) place() place {
	folder, name := path.Split(t.Name)
	return place{Path: `\` + winpath.Native(folder), Name: name}
}

// definition returns the wanted task in that form. The day of a daily trigger is a past
// one; only its time of day matters.
func (t *Task) definition() definition {
	d := definition{
		place: t.place(), There: true, Program: winpath.Native(t.Program), Arguments: wincmdline.Join(t.Arguments...),
		Folder: winpath.Native(t.Dir), Actions: 1, User: users()[t.User], Description: t.Description, Enabled: t.Enabled,
		Limit: unlimited,
	}
	if t.Startup {
		d.Triggers = append(d.Triggers, trigger{Kind: atBoot})
	}
	if t.Daily != "" {
		d.Triggers = append(d.Triggers, trigger{Kind: daily, Start: "2020-01-01T" + t.Daily + ":00"})
	}
	if t.Once != "" {
		d.Triggers = append(d.Triggers, trigger{Kind: atATime, Start: t.Once})
	}
	if t.Every != "" {
		d.Triggers = append(d.Triggers, trigger{Kind: atATime, Start: longAgo, Every: interval(t.Every.Time()), Minutes: int(t.Every.Time() / time.Minute)})
	}
	return d
}

func (d definition) diff(want definition) []string {
	var out powershell.Differences
	out.Add(!strings.EqualFold(d.Program, want.Program) || d.Actions != want.Actions, "program")
	out.Add(d.Arguments != want.Arguments, "arguments")
	out.Add(!strings.EqualFold(d.Folder, want.Folder), "dir")
	out.Add(d.User != want.User, "user")
	out.Add(d.Description != want.Description, "description")
	out.Add(d.Enabled != want.Enabled, "enabled")
	out.Add(d.Limit != want.Limit, "time limit")
	out.Add(!slices.Equal(d.starts(), want.starts()), "triggers")
	return out
}

// starts returns the triggers in a fixed order. The start boundary of a boot trigger
// is ignored.
func (d definition) starts() []string {
	var all []string
	for _, t := range d.Triggers {
		if t.Kind == atBoot {
			t.Start = ""
		}
		all = append(all, t.Kind+" "+t.Start+" "+t.Every)
	}
	slices.Sort(all)
	return all
}

// interval is a duration of whole minutes as the scheduler writes it (xs:duration of XML Schema):
// "PT5M", "PT1H30M", "P1D".
func interval(d time.Duration) string {
	text := "P"
	if days := d / (24 * time.Hour); days > 0 {
		text += fmt.Sprintf("%dD", days)
	}
	hours, minutes := d/time.Hour%24, d/time.Minute%60
	if hours+minutes > 0 {
		text += "T"
	}
	if hours > 0 {
		text += fmt.Sprintf("%dH", hours)
	}
	if minutes > 0 {
		text += fmt.Sprintf("%dM", minutes)
	}
	return text
}

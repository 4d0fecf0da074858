package wintask

import (
	"path"
	"slices"
	"strings"

	"kinit/modules/internal/wincmdline"
	"kinit/modules/internal/winpath"
)

// boundary is how the scheduler writes a time of the host's clock.
const boundary = "2006-01-02T15:04:05"

// The kinds of triggers, which are classes of CIM.
const (
	atBoot  = "MSFT_TaskBootTrigger"
	daily   = "MSFT_TaskDailyTrigger"
	atATime = "MSFT_TaskTimeTrigger"
)

// unlimited lets a task run for as long as it takes; the scheduler's own limit is three
// days (TaskSettings.ExecutionTimeLimit).
const unlimited = "PT0S"

// place is where a task is among all tasks.
type place struct {
	Path string `json:"path"` // the folder, between backslashes
	Name string `json:"name"`
}

// definition is a task in the words of the scheduler.
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
}

func (t *Task) place() place {
	folder, name := path.Split(t.Name)
	return place{Path: `\` + winpath.Native(folder), Name: name}
}

// definition is the wish in those words. The day of a daily trigger is one that has
// passed; only its time of day counts.
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
		d.Triggers = append(d.Triggers, trigger{daily, "2020-01-01T" + t.Daily + ":00"})
	}
	if t.Once != "" {
		d.Triggers = append(d.Triggers, trigger{atATime, t.Once})
	}
	return d
}

// diff names what differs from another definition.
func (d definition) diff(want definition) []string {
	var out []string
	differ := func(what string, differs bool) {
		if differs {
			out = append(out, what)
		}
	}
	differ("program", !strings.EqualFold(d.Program, want.Program) || d.Actions != want.Actions)
	differ("arguments", d.Arguments != want.Arguments)
	differ("dir", !strings.EqualFold(d.Folder, want.Folder))
	differ("user", d.User != want.User)
	differ("description", d.Description != want.Description)
	differ("enabled", d.Enabled != want.Enabled)
	differ("time limit", d.Limit != want.Limit)
	differ("triggers", !slices.Equal(d.starts(), want.starts()))
	return out
}

// starts are the triggers in an order of their own. What a boot trigger says of a start
// does not count.
func (d definition) starts() []string {
	var all []string
	for _, t := range d.Triggers {
		if t.Kind == atBoot {
			t.Start = ""
		}
		all = append(all, t.Kind+" "+t.Start)
	}
	slices.Sort(all)
	return all
}

package winservice

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/fingerprint"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/wincmdline"
	"kinit/modules/internal/winpath"
)

// decision describes the change of a service that should exist.
type decision struct {
	text        string // the change's description; empty for nothing
	change      change
	action      string // start, stop or restart; empty for nothing
	why         string
	fingerprint string // the fingerprint of the start
}

// change is the script's input; nil values do not change.
type change struct {
	Name         string    `json:"name"`
	Path         *string   `json:"path"`
	DisplayName  *string   `json:"displayName"`
	Description  *string   `json:"description"`
	Start        *string   `json:"start"`
	Account      *string   `json:"account"`
	Password     string    `json:"password"`
	Dependencies *[]string `json:"dependencies"`
	Environment  *[]string `json:"environment"`
	Reset        string    `json:"reset"`   // seconds
	Actions      *string   `json:"actions"` // as sc.exe takes them
	// Fingerprint is the fingerprint of the next start of a stopped service, by any
	// starter.
	Fingerprint string `json:"fingerprint"`
}

// line returns the program with its arguments, "" if none is given.
func (t *Task) line() string {
	if t.Path == "" {
		return ""
	}
	return wincmdline.Join(append([]string{winpath.Native(t.Path)}, t.Arguments...)...)
}

// variables returns the environment in the registry's form, sorted by name.
func (t *Task) variables() *[]string {
	if t.Environment == nil {
		return nil
	}
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(*t.Environment)) {
		all = append(all, name+"="+(*t.Environment)[name])
	}
	return &all
}

// decide compares the service with the arguments, without reading the host.
func (t *Task) decide(s state) (decision, error) {
	switch {
	case s.There && s.Deleted:
		return decision{}, fmt.Errorf("service %s is marked for deletion: close the programs that show it, or restart the host", t.Name)
	case !s.There && t.Path == "":
		return decision{}, errors.New("there is no service " + t.Name + ", and no path to make one")
	}
	d := decision{change: change{Name: t.Name}}
	t.decideDefinition(s, &d)
	t.decideRun(s, &d)
	return d, nil
}

func (t *Task) decideDefinition(s state, d *decision) {
	var words powershell.Differences
	c := &d.change
	if line := t.line(); words.Add(line != "" && line != s.Path, "program") {
		c.Path = &line
	}
	if words.Add(t.DisplayName != nil && *t.DisplayName != s.DisplayName, "display name") {
		c.DisplayName = t.DisplayName
	}
	if words.Add(t.Description != nil && *t.Description != s.Description, "description") {
		c.Description = t.Description
	}
	if want := t.start(s); words.Add(want != "" && want != s.startWord(), "start "+want) {
		word := starts[want].sc
		c.Start = &word
	}
	if words.Add(t.Account != "" && !strings.EqualFold(account(t.Account), account(s.Account)), "account "+t.Account) {
		c.Account, c.Password = &t.Account, t.Password.Reveal()
	}
	if words.Add(t.Dependencies != nil && !sameSet(*t.Dependencies, s.Dependencies), "dependencies") {
		c.Dependencies = dependencies(*t.Dependencies)
	}
	if want := t.variables(); words.Add(want != nil && !slices.Equal(*want, s.Environment), "environment") {
		c.Environment = want
	}
	if reset, want, given := t.recovery(); words.Add(given && s.recovery() != recovery{reset, want}, "restart_after") {
		c.Reset, c.Actions = fmt.Sprint(reset), &want
	}
	d.text = words.Text("service " + t.Name)
	if !s.There {
		d.text = "create service " + t.Name + ": " + *c.Path
	}
}

// start returns the wanted start type, "" for no change.
func (t *Task) start(s state) string {
	if t.Start == "" && !s.There {
		return "auto"
	}
	return t.Start
}

func account(name string) string {
	return strings.TrimPrefix(cmp.Or(name, "LocalSystem"), `.\`)
}

// dependencies returns the argument for sc.exe; a slash alone stands for none.
func dependencies(names []string) *[]string {
	if len(names) == 0 {
		return &[]string{"", ""}
	}
	return &names
}

func sameSet(a, b []string) bool {
	lower := func(list []string) []string {
		return slices.Sorted(slices.Values(lists.Map(list, strings.ToLower)))
	}
	return slices.Equal(lower(a), lower(b))
}

// decideRun decides whether to start, stop or restart the service.
func (t *Task) decideRun(s state, d *decision) {
	want := t.started()
	switch {
	case t.State == "stopped" && s.runs():
		d.action = "stop"
	case t.State == "stopped":
	case t.State == "started" && !s.runs():
		d.action, d.fingerprint = "start", want
	case !s.runs():
		d.change.Fingerprint = want
	case s.runs() && want != "" && s.Fingerprint == "":
		d.action, d.why, d.fingerprint = "restart", ", as it is not known what it was started with", want
	case s.runs() && want != "" && s.Fingerprint != want:
		d.action, d.why, d.fingerprint = "restart", ", as what it was started with has changed", want
	}
}

// started returns the inputs that the service should have started with, in a comparable
// form; empty if none are given.
func (t *Task) started() string {
	variables := t.variables()
	if t.Path == "" && t.Account == "" && variables == nil && len(t.RestartOn) == 0 {
		return ""
	}
	parts := []string{t.line(), t.Account}
	if variables != nil {
		parts = append(parts, *variables...)
	}
	return fingerprint.Of(append(parts, t.RestartOn...)...)
}

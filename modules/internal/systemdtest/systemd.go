// Package systemdtest is a systemd for tests of modules that use it: systemctl on a
// moduletest.FakeHost, with the units that its files make.
package systemdtest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/unitfile"
)

// Folder is where the administrator's units are.
const Folder = unitfile.Folder

// Unit is a unit as systemctl show tells of it; the zero value is not loaded.
type Unit struct {
	Load, Active, File string
	Reload             bool // its file has changed since it was read

	Type  string // of a service whose type matters
	Ends  string // how it ends at once after a start: "success", "exit-code", "timeout", or "restarts" for Restart=always
	Ended int    // how often it has ended
}

// Systemd answers systemctl as systemd 252 does.
type Systemd struct {
	Units map[string]*Unit
	Fails string // a verb that fails

	fs    *moduletest.MemFiles
	files map[string]bool // units that have come with a file
}

// New is a fake host with systemd. Journalctl has two lines of any unit.
func New(t testing.TB, owner string, units map[string]*Unit) (*moduletest.FakeHost, *Systemd) {
	h := moduletest.NewFakeHost(t, owner)
	s := &Systemd{fs: h.FS, Units: units, files: map[string]bool{}}
	h.Handle(s.answer)
	return h, s
}

func (s *Systemd) answer(c moduletest.Call) (moduletest.Reply, bool) {
	if c.Argv[0] == "journalctl" {
		return moduletest.Reply{Stdout: "listening on :80\naddress in use\n"}, true
	}
	if c.Argv[0] != "systemctl" {
		return moduletest.Reply{}, false
	}
	verb, name := c.Argv[1], c.Argv[len(c.Argv)-1]
	if verb == "daemon-reload" {
		s.load()
		return moduletest.Reply{Changes: true}, true
	}
	u := s.Units[name]
	if unitfile.IsTemplate(name) && (verb != "disable" || slices.Contains(c.Argv, "--now")) {
		return moduletest.Reply{Code: 1, Stderr: "Unit name " + name + " is neither a valid invocation ID nor unit name.\n"}, true
	}
	if verb == "show" {
		return moduletest.Reply{Stdout: u.show()}, true
	}
	if u == nil || verb == s.Fails {
		return moduletest.Reply{Code: 1, Stderr: "Job for " + name + " failed.\n", Changes: true}, true
	}
	u.do(strings.Join(c.Argv[1:len(c.Argv)-2], " "))
	if u.Ends == "timeout" && verb == "start" {
		return moduletest.Reply{Code: 1, Stderr: "Job for " + name + " failed because a timeout was exceeded.\n", Changes: true}, true
	}
	return moduletest.Reply{Changes: true}, true
}

// load reads the unit files that are new, and forgets those that are gone.
func (s *Systemd) load() {
	infos, err := s.fs.List(context.Background(), path.Clean(Folder))
	if err != nil {
		panic(err) // every MemFiles has the folder
	}
	there := map[string]bool{}
	for _, info := range infos {
		if !info.Mode.IsRegular() {
			continue
		}
		there[info.Name] = true
		if s.Units[info.Name] == nil {
			s.Units[info.Name] = Stopped()
		}
	}
	for name := range s.files {
		if !there[name] {
			delete(s.Units, name)
		}
	}
	s.files = there
	for _, u := range s.Units {
		u.Reload = false
	}
}

// show prints the properties in the form of systemctl show.
func (u *Unit) show() string {
	if u == nil {
		return "LoadState=not-found\nActiveState=inactive\nUnitFileState=\nNeedDaemonReload=no\n"
	}
	reload := map[bool]string{true: "yes", false: "no"}[u.Reload]
	text := fmt.Sprintf("LoadState=%s\nActiveState=%s\nUnitFileState=%s\nNeedDaemonReload=%s\n", u.Load, u.Active, u.File, reload)
	if u.Type == "" {
		return text
	}
	result, status := "success", 0
	switch {
	case u.Ends == "restarts" && u.Active == "active":
		u.Ended++
	case u.Active == "failed":
		result, status = u.Ends, 2
	}
	return text + fmt.Sprintf("Type=%s\nSubState=running\nResult=%s\nExecMainStatus=%d\nNRestarts=%d\nTimeoutStartUSec=1min 30s\n", u.Type, result, status, u.Ended)
}

func (u *Unit) do(verb string) {
	switch verb {
	case "start", "restart":
		u.Active = "active"
		switch u.Ends {
		case "success":
			u.Active = "inactive"
		case "exit-code", "timeout":
			u.Active = "failed"
		}
	case "stop":
		u.Active = "inactive"
	case "enable":
		u.File = "enabled"
	case "disable", "unmask":
		u.File = "disabled"
	case "disable --now":
		u.File, u.Active = "disabled", "inactive"
	case "mask --now", "mask":
		u.File, u.Active = "masked", "inactive"
	}
}

// Running is a service that runs and is enabled.
func Running() *Unit { return &Unit{Load: "loaded", Active: "active", File: "enabled"} }

// Stopped is a service that does neither.
func Stopped() *Unit { return &Unit{Load: "loaded", Active: "inactive", File: "disabled"} }

package service

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// unit is a unit as the fake systemd knows it; the zero value is not loaded.
type unit struct {
	load, active, file string
	reload             bool
}

// systemd answers systemctl as systemd 252 does.
type systemd struct {
	fs    *moduletest.MemFiles
	units map[string]*unit
	fails string // a verb that fails
}

// newSystemd is a fake host with systemd.
func newSystemd(t *testing.T, owner string, units map[string]*unit) (*moduletest.FakeHost, *systemd) {
	h := moduletest.NewFakeHost(t, owner)
	s := &systemd{fs: h.FS, units: units}
	h.Handle(s.answer)
	return h, s
}

func (s *systemd) answer(c moduletest.Call) (moduletest.Reply, bool) {
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
	u := s.units[name]
	if verb == "show" {
		return moduletest.Reply{Stdout: u.show()}, true
	}
	if u == nil || verb == s.fails {
		return moduletest.Reply{Code: 1, Stderr: "Job for " + name + " failed.\n", Changes: true}, true
	}
	u.do(strings.Join(c.Argv[1:len(c.Argv)-2], " "))
	return moduletest.Reply{Changes: true}, true
}

// load reads the unit files that are new, and forgets those that are gone.
func (s *systemd) load() {
	const name = "web.service"
	if _, there := s.fs.Text(unitFolder + name); !there {
		delete(s.units, name)
	} else if s.units[name] == nil {
		s.units[name] = &unit{load: "loaded", active: "inactive", file: "disabled"}
	}
	for _, u := range s.units {
		u.reload = false
	}
}

// show prints the properties in the form of systemctl show.
func (u *unit) show() string {
	if u == nil {
		return "LoadState=not-found\nActiveState=inactive\nUnitFileState=\nNeedDaemonReload=no\n"
	}
	reload := map[bool]string{true: "yes", false: "no"}[u.reload]
	return fmt.Sprintf("LoadState=%s\nActiveState=%s\nUnitFileState=%s\nNeedDaemonReload=%s\n", u.load, u.active, u.file, reload)
}

func (u *unit) do(verb string) {
	switch verb {
	case "start", "restart":
		u.active = "active"
	case "stop":
		u.active = "inactive"
	case "enable":
		u.file = "enabled"
	case "disable", "unmask":
		u.file = "disabled"
	case "disable --now":
		u.file, u.active = "disabled", "inactive"
	case "mask --now", "mask":
		u.file, u.active = "masked", "inactive"
	}
}

// running and stopped are services of the distribution.
func running() *unit { return &unit{load: "loaded", active: "active", file: "enabled"} }
func stopped() *unit { return &unit{load: "loaded", active: "inactive", file: "disabled"} }

package program

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// sc is sc.exe: its options end with an equals sign, and their values are words of
// their own.
func sc(ctx context.Context, p *machine.Process) uint32 {
	if len(p.Args) < 2 {
		return unsupported(p)
	}
	verb, name, rest := strings.ToLower(p.Args[0]), p.Args[1], p.Args[2:]
	options, ok := pairs(rest)
	m := p.Machine.Services
	var err error
	call := "ControlService"
	switch verb {
	case "create":
		call, err = "CreateService", scCreate(p, name, options, ok)
	case "config":
		call, err = "ChangeServiceConfig", scConfig(p, name, options, ok)
	case "failure":
		call, err = "ChangeServiceConfig2", scFailure(p, name, options, ok)
	case "description":
		call = "ChangeServiceConfig2"
		err = m.Change(name, func(c *scm.Config) { c.Description = strings.Join(rest, " ") })
	case "delete":
		call, err = "DeleteService", m.Delete(name)
	case "start":
		call, err = "StartService", m.Start(ctx, name, rest...)
	case "stop":
		err = m.Stop(ctx, name, false)
	case "query", "queryex":
		return scQuery(p, name)
	case "qc":
		return scConfigOf(p, name)
	default:
		return unsupported(p)
	}
	return scResult(p, verb, name, call, err)
}

// errUsage is a command line that sc.exe does not take.
var errUsage = errors.New("usage")

// pairs reads options such as start= auto.
func pairs(words []string) (map[string]string, bool) {
	options := map[string]string{}
	for i := 0; i < len(words); i++ {
		name, value, ok := strings.Cut(words[i], "=")
		if !ok {
			return nil, false
		}
		if value == "" {
			if i+1 == len(words) {
				return nil, false
			}
			i++
			value = words[i]
		}
		options[strings.ToLower(name)] = value
	}
	return options, true
}

// apply sets what the options say of a service.
func apply(c *scm.Config, options map[string]string) error {
	for name, value := range options {
		switch name {
		case "binpath":
			c.Image = value
		case "displayname":
			c.DisplayName = value
		case "obj":
			c.Account = value
		case "depend":
			c.DependsOn = strings.FieldsFunc(value, func(r rune) bool { return r == '/' })
		case "start":
			start, ok := map[string]scm.StartType{"boot": scm.Boot, "system": scm.System, "auto": scm.Auto, "demand": scm.Manual, "disabled": scm.Disabled, "delayed-auto": scm.Auto}[strings.ToLower(value)]
			if !ok {
				return errUsage
			}
			c.Start, c.Delayed = start, strings.EqualFold(value, "delayed-auto")
		case "type", "error", "password":
		default:
			return errUsage
		}
	}
	return nil
}

func scCreate(p *machine.Process, name string, options map[string]string, ok bool) error {
	c := scm.Config{Name: name, DisplayName: name, Start: scm.Manual}
	if !ok || options["binpath"] == "" {
		return errUsage
	}
	if err := apply(&c, options); err != nil {
		return err
	}
	return p.Machine.Services.Create(c)
}

func scConfig(p *machine.Process, name string, options map[string]string, ok bool) error {
	if !ok {
		return errUsage
	}
	var bad error
	err := p.Machine.Services.Change(name, func(c *scm.Config) { bad = apply(c, options) })
	return errors.Join(err, bad)
}

// scFailure reads actions such as restart/5000/restart/5000/""/5000.
func scFailure(p *machine.Process, name string, options map[string]string, ok bool) error {
	if !ok {
		return errUsage
	}
	var f scm.Failure
	if seconds, err := strconv.Atoi(options["reset"]); err == nil {
		f.Reset = time.Duration(seconds) * time.Second
	}
	words := strings.Split(options["actions"], "/")
	for i := 0; i+1 < len(words); i += 2 {
		delay, err := strconv.Atoi(words[i+1])
		kind, known := map[string]scm.ActionType{"": scm.DoNothing, `""`: scm.DoNothing, "restart": scm.Restart}[strings.ToLower(words[i])]
		if err != nil || !known {
			return errUsage
		}
		f.Actions = append(f.Actions, scm.Action{Type: kind, Delay: time.Duration(delay) * time.Millisecond})
	}
	for option := range options {
		if option != "reset" && option != "actions" {
			return errUsage
		}
	}
	return p.Machine.Services.Change(name, func(c *scm.Config) { c.Failure = f })
}

// scResult says how a call ended; the exit code is the error's.
func scResult(p *machine.Process, verb, name, call string, err error) uint32 {
	if errors.Is(err, errUsage) {
		return unsupported(p)
	}
	var code *winerr.Error
	if err == nil {
		if verb == "start" || verb == "stop" {
			return scQuery(p, name)
		}
		say(p, "[SC] %s %s", call, either(p, "SUCCESS", "ERFOLG"))
		return 0
	}
	if !errors.As(err, &code) {
		p.Fail(err)
		return 1
	}
	if code.Code == winerr.ServiceMissing {
		call = "OpenService"
	}
	say(p, "[SC] %s %s %d:\r\n\r\n%s\r\n", call, either(p, "FAILED", "FEHLER"), code.Code, p.Machine.Text(code.Code))
	return uint32(code.Code)
}

func scQuery(p *machine.Process, name string) uint32 {
	status, err := p.Machine.Services.Status(name)
	if err != nil {
		say(p, "[SC] EnumQueryServicesStatus:OpenService %s %d:\r\n\r\n%s\r\n", either(p, "FAILED", "FEHLER"), winerr.ServiceMissing, p.Machine.Text(winerr.ServiceMissing))
		return uint32(winerr.ServiceMissing)
	}
	state := map[scm.State]string{scm.Stopped: "STOPPED", scm.StartPending: "START_PENDING", scm.StopPending: "STOP_PENDING", scm.Running: "RUNNING"}[status.State]
	say(p, "\r\nSERVICE_NAME: %s", name)
	for _, field := range [][2]string{
		{"TYPE", "10  WIN32_OWN_PROCESS  "}, {"STATE", fmt.Sprintf("%d  %s ", status.State, state)},
		{"WIN32_EXIT_CODE", fmt.Sprintf("%d  (0x%x)", status.Exit, uint32(status.Exit))}, {"SERVICE_EXIT_CODE", "0  (0x0)"},
		{"CHECKPOINT", "0x0"}, {"WAIT_HINT", "0x0"},
	} {
		say(p, "        %-19s: %s", field[0], field[1])
	}
	return 0
}

func scConfigOf(p *machine.Process, name string) uint32 {
	c, err := p.Machine.Services.Config(name)
	if err != nil {
		return scResult(p, "qc", name, "OpenService", err)
	}
	start := map[scm.StartType]string{scm.Boot: "BOOT_START", scm.System: "SYSTEM_START", scm.Auto: "AUTO_START", scm.Manual: "DEMAND_START", scm.Disabled: "DISABLED"}[c.Start]
	if c.Delayed {
		start += "  (DELAYED)"
	}
	say(p, "[SC] QueryServiceConfig %s\r\n\r\nSERVICE_NAME: %s", either(p, "SUCCESS", "ERFOLG"), c.Name)
	for _, field := range [][2]string{
		{"TYPE", "10  WIN32_OWN_PROCESS "}, {"START_TYPE", fmt.Sprintf("%d   %s", c.Start, start)}, {"ERROR_CONTROL", "1   NORMAL"},
		{"BINARY_PATH_NAME", c.Image}, {"LOAD_ORDER_GROUP", ""}, {"TAG", "0"}, {"DISPLAY_NAME", c.DisplayName},
		{"DEPENDENCIES", strings.Join(c.DependsOn, "\r\n                           : ")}, {"SERVICE_START_NAME", c.Account},
	} {
		say(p, "        %-19s: %s", field[0], field[1])
	}
	return 0
}

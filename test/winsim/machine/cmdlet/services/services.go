// Package services is the cmdlets of the module Microsoft.PowerShell.Management that
// have to do with services.
package services

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

const (
	controller = "System.ServiceProcess.ServiceController"
	commands   = "Microsoft.PowerShell.Commands."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	s := module{m}
	name := interp.Parameter{Name: "Name", Aliases: []string{"ServiceName"}, Type: "string[]", Position: 1, ByName: true}
	one := interp.Parameter{Name: "Name", Aliases: []string{"ServiceName", "SN"}, Type: "string", Position: 1}
	display := cmdlet.Texts("DisplayName")
	input := cmdlet.Piped(cmdlet.Any("InputObject"))
	pass := cmdlet.Switch("PassThru")
	force := cmdlet.Switch("Force")
	start := interp.Parameter{Name: "StartupType", Type: "string", Values: []string{"Automatic", "Manual", "Disabled"}}
	return []interp.Cmdlet{
		{Name: "Get-Service", Aliases: []string{"gsv"}, Run: s.get, Parameters: []interp.Parameter{
			name, display, input, cmdlet.Switch("DependentServices"), cmdlet.Switch("RequiredServices"),
		}},
		{Name: "Start-Service", Aliases: []string{"sasv"}, Confirms: true, Parameters: []interp.Parameter{name, input, pass}, Run: s.each(s.start)},
		{Name: "Stop-Service", Aliases: []string{"spsv"}, Confirms: true, Parameters: []interp.Parameter{name, input, pass, force, cmdlet.Switch("NoWait")}, Run: s.each(s.stop)},
		{Name: "Restart-Service", Confirms: true, Parameters: []interp.Parameter{name, input, pass, force}, Run: s.each(s.restart)},
		{Name: "Set-Service", Confirms: true, Run: s.each(s.set), Parameters: []interp.Parameter{
			one, input, pass, start, cmdlet.Text("DisplayName"), cmdlet.Text("Description"),
			{Name: "Status", Type: "string", Values: []string{"Running", "Stopped", "Paused"}},
		}},
		{Name: "New-Service", Confirms: true, Run: s.create, Parameters: []interp.Parameter{
			cmdlet.Needed(one), cmdlet.Needed(interp.Parameter{Name: "BinaryPathName", Aliases: []string{"Path"}, Type: "string", Position: 2}),
			cmdlet.Text("DisplayName"), cmdlet.Text("Description"), start, cmdlet.Texts("DependsOn"),
		}},
	}
}

// object is a service as an object.
func (s module) object(c scm.Config) *value.Object {
	o := value.NewObject(controller,
		value.P("Name", c.Name), value.P("ServiceName", c.Name), value.P("DisplayName", c.DisplayName),
		value.P("StartType", startType(c.Start)), value.P("MachineName", "."),
		&value.Property{Name: "Status", Get: func() (any, error) { return s.status(c.Name) }},
		&value.Property{Name: "CanStop", Get: func() (any, error) {
			status, err := s.m.Services.Status(c.Name)
			return err == nil && status.State == scm.Running, nil
		}},
		&value.Property{Name: "ServicesDependedOn", Get: func() (any, error) { return s.list(c.DependsOn), nil }},
		&value.Property{Name: "RequiredServices", Get: func() (any, error) { return s.list(c.DependsOn), nil }},
		&value.Property{Name: "DependentServices", Get: func() (any, error) { return s.list(s.m.Services.Dependents(c.Name)), nil }})
	o.Text = func() string { return controller }
	o.Data = c.Name
	o.Method("Refresh", func(context.Context, []any) (any, error) { return value.Void{}, nil })
	return o.Method("WaitForStatus", func(ctx context.Context, args []any) (any, error) { return s.waitFor(ctx, c.Name, args) })
}

func startType(t scm.StartType) value.Enum {
	name := map[scm.StartType]string{scm.Boot: "Boot", scm.System: "System", scm.Auto: "Automatic", scm.Manual: "Manual", scm.Disabled: "Disabled"}[t]
	return value.NewEnum("System.ServiceProcess.ServiceStartMode", name, int64(t))
}

// statusName is a state as System.ServiceProcess.ServiceControllerStatus names it.
func statusName(state scm.State) value.Enum {
	name := map[scm.State]string{scm.Stopped: "Stopped", scm.StartPending: "StartPending", scm.StopPending: "StopPending", scm.Running: "Running"}[state]
	return value.NewEnum(controller+"Status", name, int64(state))
}

func (s module) status(name string) (any, error) {
	status, err := s.m.Services.Status(name)
	if err != nil {
		return nil, value.NewException("System.InvalidOperationException", fmt.Sprintf("Service %s was not found on computer '.'.", name))
	}
	return statusName(status.State), nil
}

func (s module) list(names []string) *value.Array {
	a := &value.Array{Elem: controller}
	for _, name := range names {
		if c, err := s.m.Services.Config(name); err == nil {
			a.Items = append(a.Items, s.object(c))
		}
	}
	return a
}

func (s module) get(ctx context.Context, c *interp.Call) error {
	patterns, byDisplay := named(c), c.Strings("DisplayName")
	found := map[string]bool{}
	for _, name := range s.m.Services.Names() {
		config, err := s.m.Services.Config(name)
		if err != nil {
			continue
		}
		if len(byDisplay) > 0 && !cmdlet.Matches(config.DisplayName, byDisplay) || len(byDisplay) == 0 && !cmdlet.Matches(name, patterns) {
			continue
		}
		found[strings.ToLower(name)] = true
		if err := s.write(ctx, c, config); err != nil {
			return err
		}
	}
	for _, pattern := range patterns {
		if value.HasWildcards(pattern) || found[strings.ToLower(pattern)] {
			continue
		}
		if err := cmdlet.Report(ctx, c, missing(c, pattern)); err != nil {
			return err
		}
	}
	return nil
}

func (s module) write(ctx context.Context, c *interp.Call, config scm.Config) error {
	switch {
	case c.Bool("DependentServices"):
		return c.WriteAll(ctx, s.list(s.m.Services.Dependents(config.Name)))
	case c.Bool("RequiredServices"):
		return c.WriteAll(ctx, s.list(config.DependsOn))
	default:
		return c.WriteObject(ctx, s.object(config))
	}
}

func missing(c *interp.Call, name string) cmdlet.Failure {
	return cmdlet.Failure{
		Type: commands + "ServiceCommandException", Message: fmt.Sprintf("Cannot find any service with service name '%s'.", name),
		ID: "NoServiceFoundForGivenName," + commands + cmdlet.Class(c), Category: "ObjectNotFound", Target: name,
	}
}

// named are the services that a cmdlet is given, by name or object.
func named(c *interp.Call) []string {
	return append(c.Strings("Name"), cmdlet.Identities(c.Value("InputObject"))...)
}

// each runs a change for every service that a cmdlet names.
func (s module) each(change func(ctx context.Context, c *interp.Call, config scm.Config) error) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		for _, name := range named(c) {
			config, err := s.m.Services.Config(name)
			if err != nil {
				err = cmdlet.Report(ctx, c, missing(c, name))
			} else {
				err = change(ctx, c, config)
			}
			if err != nil {
				return err
			}
			if c.Bool("PassThru") {
				if err := c.WriteObject(ctx, s.object(config)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (s module) start(ctx context.Context, c *interp.Call, config scm.Config) error {
	err := s.m.Services.Start(ctx, config.Name)
	if err == nil || cmdlet.Code(err) == winerr.ServiceRunning {
		return nil
	}
	if cmdlet.Code(err) == winerr.ProcessAborted {
		// It began to start, and there is no reason why it went no further.
		return cmdlet.Report(ctx, c, cmdlet.Failure{
			Type: commands + "ServiceCommandException", ID: "StartServiceFailed," + commands + "StartServiceCommand", Category: "OpenError", Target: s.object(config),
			Message: fmt.Sprintf("Failed to start service '%s (%s)'.", config.DisplayName, config.Name),
		})
	}
	return s.failed(ctx, c, config, err, "start", "CouldNotStartService,"+commands+"StartServiceCommand")
}

func (s module) stop(ctx context.Context, c *interp.Call, config scm.Config) error {
	err := s.m.Services.Stop(ctx, config.Name, c.Bool("Force"))
	switch cmdlet.Code(err) {
	case winerr.DependentsRunning:
		return cmdlet.Report(ctx, c, cmdlet.Failure{
			Type: commands + "ServiceCommandException", Category: "InvalidOperation", Target: s.object(config),
			Message: fmt.Sprintf("Cannot stop service '%s (%s)' because it has dependent services. It can only be stopped if the Force flag is set.", config.DisplayName, config.Name),
			ID:      "ServiceHasDependentServices," + commands + cmdlet.Class(c),
		})
	case winerr.ServiceNotActive:
		return nil
	}
	if err == nil {
		return nil
	}
	return s.failed(ctx, c, config, err, "stop", "CouldNotStopService,"+commands+cmdlet.Class(c))
}

func (s module) restart(ctx context.Context, c *interp.Call, config scm.Config) error {
	if err := s.stop(ctx, c, config); err != nil {
		return err
	}
	if status, err := s.m.Services.Status(config.Name); err != nil || status.State != scm.Stopped {
		return err // it was reported why it does not stop
	}
	return s.start(ctx, c, config)
}

// failed reports that a service does not do what it is told, with the system's reason
// inside.
func (s module) failed(ctx context.Context, c *interp.Call, config scm.Config, err error, verb, id string) error {
	code := cmdlet.Code(err)
	if code == 0 {
		return err
	}
	inner := value.NewException("System.InvalidOperationException", fmt.Sprintf("Cannot %s service %s on computer '.'.", verb, config.Name))
	inner.Inner = cmdlet.Win32(s.m, code)
	return cmdlet.Report(ctx, c, cmdlet.Failure{
		Type: commands + "ServiceCommandException", ID: id, Category: "OpenError", Target: s.object(config), Inner: inner,
		Message: fmt.Sprintf("Service '%s (%s)' cannot be %s due to the following error: %s", config.DisplayName, config.Name, past(verb), inner.Message),
	})
}

func past(verb string) string {
	return map[string]string{"start": "started", "stop": "stopped", "configure": "configured", "create": "created"}[verb]
}

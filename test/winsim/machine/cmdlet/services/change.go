package services

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (s module) set(ctx context.Context, c *interp.Call, config scm.Config) error {
	err := s.m.Services.Change(config.Name, func(to *scm.Config) {
		if c.Has("DisplayName") {
			to.DisplayName = c.String("DisplayName")
		}
		if c.Has("Description") {
			to.Description = c.String("Description")
		}
		if c.Has("StartupType") {
			// The delay of an automatic service stays, as it does on Windows.
			to.Start = parseStart(c.String("StartupType"))
		}
	})
	if err != nil {
		return s.failed(ctx, c, config, err, "configure", "CouldNotSetService,"+commands+"SetServiceCommand")
	}
	switch c.String("Status") {
	case "":
		return nil
	case "Running":
		return s.start(ctx, c, config)
	case "Stopped":
		return s.stop(ctx, c, config)
	default:
		return unknown.New("the status %s of Set-Service", c.String("Status"))
	}
}

func parseStart(text string) scm.StartType {
	e := value.Of("", "Boot", "System", "Automatic", "Manual", "Disabled")
	found, err := e.Convert(text)
	if err != nil {
		return scm.Manual // the values of the parameter let nothing else in
	}
	return scm.StartType(found.(value.Enum).Number)
}

func (s module) create(ctx context.Context, c *interp.Call) error {
	config := scm.Config{
		Name: c.String("Name"), DisplayName: c.String("DisplayName"), Description: c.String("Description"),
		Image: c.String("BinaryPathName"), Start: scm.Auto, DependsOn: c.Strings("DependsOn"),
	}
	config.DisplayName = cmp.Or(config.DisplayName, config.Name)
	if c.Has("StartupType") {
		config.Start = parseStart(c.String("StartupType"))
	}
	if err := s.m.Services.Create(config); err != nil {
		return s.failed(ctx, c, config, err, "create", "CouldNotNewService,"+commands+"NewServiceCommand")
	}
	return c.WriteObject(ctx, s.object(config))
}

// waitFor is ServiceController.WaitForStatus(status, timeout).
func (s module) waitFor(ctx context.Context, name string, args []any) (any, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, unknown.New("ServiceController.WaitForStatus with %d arguments", len(args))
	}
	wanted := value.String(args[0])
	if len(args) == 2 {
		span, err := value.Convert(args[1], "System.TimeSpan")
		if err != nil {
			return nil, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, span.(value.TimeSpan).Duration())
		defer cancel()
	}
	for {
		status, err := s.m.Services.Status(name)
		if err != nil {
			return nil, value.NewException("System.InvalidOperationException", fmt.Sprintf("Service %s was not found on computer '.'.", name))
		}
		if statusName(status.State).Name == wanted {
			return value.Void{}, nil
		}
		select {
		case <-ctx.Done():
			return nil, value.NewException("System.ServiceProcess.TimeoutException", "Time out has expired and the operation has not been completed.")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

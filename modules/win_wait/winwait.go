// Package winwait is the module "win_wait": it waits until a service of a Windows host
// is up, or gone.
package winwait

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/poll"
	"kinit/modules/internal/winpath"
)

// patience is how long one look can take: while a host's network changes, the host may not
// answer for a while.
const patience = time.Minute

// Task waits for exactly one of port, path, service and script, checked from the host.
// Planning checks once; if the condition already holds, there is nothing to do. If the host
// does not answer meanwhile, the task waits for it too.
//
// Errors:
//   - the condition did not hold within the time; the error has the last cause
//   - none or several of port, path, service and script are given
type Task struct {
	// Port is a TCP port that accepts connections from the host.
	Port int `hcl:"port,optional"`
	// Address is the name or address for the port. The default is the host itself.
	Address string `hcl:"address,optional" default:"127.0.0.1"`
	// Path is a path that exists, such as "C:/k/ready".
	Path string `hcl:"path,optional"`
	// Service is the name of a service that must be in service_state.
	Service string `hcl:"service,optional"`
	// ServiceState is the state of the service.
	ServiceState string `hcl:"service_state,optional" enum:"running,stopped,paused" default:"running"`
	// Script is a script of PowerShell that changes nothing and whose last line of
	// output is True, such as "(Get-HnsNetwork | Where-Object Name -eq 'cbr0').Count -eq 1".
	Script string `hcl:"script,optional"`
	// Gone waits until the condition no longer holds.
	Gone bool `hcl:"gone,optional"`
	// Within is how long to wait, such as "90s".
	Within module.Duration `hcl:"within,optional" default:"5m" like:"90s"`

	elapsed time.Duration
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_wait", Reads: true, OS: []module.OS{module.Windows}, Elsewhere: "wait"})
}

func (t *Task) Validate() error {
	switch {
	case lists.Count(t.Port != 0, t.Path != "", t.Service != "", t.Script != "") != 1:
		return errors.New("want exactly one of port, path, service and script")
	case t.Port < 0 || t.Port > 65535:
		return fmt.Errorf("port is %d, want 1 to 65535", t.Port)
	case t.Path != "":
		return winpath.Check("path", t.Path)
	}
	return nil
}

// states are .NET's names of the states of a service.
func states() map[string]string {
	return map[string]string{"running": "Running", "stopped": "Stopped", "paused": "Paused"}
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	done, _, err := t.look(ctx, h)
	if err != nil || done {
		return nil, err
	}
	return []module.Step{module.NewWait("wait for "+t.what(h), t.wait)}, nil
}

func (t *Task) wait(ctx context.Context, h module.Host) error {
	start := time.Now()
	err := poll.Until(ctx, h, poll.Wait{For: t.what(h), Within: t.Within.Time()},
		poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) { return t.look(ctx, h) }))
	t.elapsed = time.Since(start)
	return err
}

func (t *Task) what(h module.Host) string {
	text := cmdtext.Shorten(h.Redact(t.Script))
	switch {
	case t.Port != 0:
		text = "port " + net.JoinHostPort(t.Address, strconv.Itoa(t.Port))
	case t.Path != "":
		text = t.Path
	case t.Service != "":
		text = "service " + t.Service + " to be " + t.ServiceState
	}
	if t.Gone {
		return text + " to be so no longer"
	}
	return text
}

type Outputs struct {
	Elapsed float64 `cty:"elapsed"` // seconds that were waited
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Elapsed: t.elapsed.Seconds()}, nil
}

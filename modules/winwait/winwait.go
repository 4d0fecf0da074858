// Package winwait is the module "win_wait": it goes on when something of a Windows host
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

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/poll"
	"kinit/modules/internal/winpath"
)

// patience is how long one look may take: a host whose network is made anew may not
// answer for a while.
const patience = time.Minute

// Task waits for exactly one of port, path, service and script, as the host sees it.
// Planning looks once; when it is so already, nothing is to do. A host that does not
// answer meanwhile is waited for too.
//
// Outputs:
//   - elapsed: seconds that were waited
//
// Errors:
//   - it was not so within the time: with what was wrong last
//   - none or several of port, path, service and script are given
type Task struct {
	// Port is a TCP port that accepts connections from the host.
	Port int `hcl:"port,optional"`
	// Address is the name or address with the port. Default "127.0.0.1", the host
	// itself.
	Address string `hcl:"address,optional"`
	// Path is a path that is there, such as "C:/k/ready".
	Path string `hcl:"path,optional"`
	// Service is the name of a service that is in service_state.
	Service string `hcl:"service,optional"`
	// ServiceState is "running", "stopped" or "paused". Default "running".
	ServiceState string `hcl:"service_state,optional"`
	// Script is a script of PowerShell, which changes nothing, whose last line of
	// output is True, such as "(Get-HnsNetwork | Where-Object Name -eq 'cbr0').Count -eq 1".
	Script string `hcl:"script,optional"`
	// Gone waits until it is no longer so.
	Gone bool `hcl:"gone,optional"`
	// Within is how long to wait, such as "90s". Default "5m".
	Within string `hcl:"within,optional"`

	elapsed time.Duration
}

// Kind is the module "win_wait".
func Kind() module.Kind {
	return module.Kind{Name: "win_wait", Reads: true, OS: []module.OS{module.Windows}, Elsewhere: "wait", New: func() module.Task {
		return &Task{Address: "127.0.0.1", ServiceState: "running", Within: "5m"}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	given := 0
	for _, is := range []bool{t.Port != 0, t.Path != "", t.Service != "", t.Script != ""} {
		if is {
			given++
		}
	}
	d, err := time.ParseDuration(t.Within)
	switch {
	case given != 1:
		return errors.New("want exactly one of port, path, service and script")
	case err != nil || d <= 0:
		return fmt.Errorf("within is %q, want a duration such as \"90s\"", t.Within)
	case t.Port < 0 || t.Port > 65535:
		return fmt.Errorf("port is %d, want 1 to 65535", t.Port)
	case states()[t.ServiceState] == "":
		return fmt.Errorf("service_state is %q, want running, stopped or paused", t.ServiceState)
	case t.Path != "":
		return winpath.Check("path", t.Path)
	}
	return nil
}

// states are .NET's names of the states of a service.
func states() map[string]string {
	return map[string]string{"running": "Running", "stopped": "Stopped", "paused": "Paused"}
}

// Plan looks once.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	done, _, err := t.look(ctx, h)
	if err != nil || done {
		return nil, err
	}
	return []module.Step{module.NewWait("wait for "+t.what(h), t.wait)}, nil
}

func (t *Task) wait(ctx context.Context, h module.Host) error {
	within, err := time.ParseDuration(t.Within)
	if err != nil {
		return err
	}
	start := time.Now()
	err = poll.Until(ctx, h, poll.Wait{For: t.what(h), Within: within},
		poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) { return t.look(ctx, h) }))
	t.elapsed = time.Since(start)
	return err
}

// what names the thing that is waited for.
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

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"elapsed": cty.Number}
}

// Outputs returns how long was waited.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"elapsed": cty.NumberFloatVal(t.elapsed.Seconds())}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

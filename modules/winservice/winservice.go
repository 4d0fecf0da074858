// Package winservice is the module "win_service": a service of a Windows host that
// runs, starts with the host, or is kinit's own.
package winservice

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

//go:embed run.ps1
var runScript string

//go:embed keep.ps1
var keepScript string

//go:embed remove.ps1
var removeScript string

// Task is a service of a Windows host. Arguments that are not given leave the service
// as it is. One that is not there is made where path is given.
//
// A running service is restarted when what it is started with has changed: its program
// with arguments, account and environment, and restart_on. That is told from what kinit
// started it with, or made it for somebody else to start, which the registry keeps below
// HKLM\SOFTWARE\kinit.
//
// Outputs:
//   - name: the service
//   - running: whether it runs
//   - start: how it is started: "auto", "delayed-auto", "manual" or "disabled"
//
// Errors:
//   - there is no service of the name, and no path to make one
//   - it does not start; its exit code is told
//   - it is marked for deletion, while a program such as the list of services holds it
//   - the account may not log in as a service
type Task struct {
	// Name is the service's name, which is not the one that lists show.
	Name string `hcl:"name"`
	// Path is the path of the program, such as "C:/k/kubelet.exe".
	Path string `hcl:"path,optional"`
	// Arguments are those of the program.
	Arguments []string `hcl:"arguments,optional"`
	// DisplayName is the name in lists.
	DisplayName *string `hcl:"display_name,optional"`
	// Description says what the service is for.
	Description *string `hcl:"description,optional"`
	// Start is "auto", "delayed-auto", some minutes after the others, "manual" or
	// "disabled". Default for a new service: "auto".
	Start string `hcl:"start,optional"`
	// Account is who the service runs as: "LocalSystem", "NT AUTHORITY\\LocalService",
	// "NT AUTHORITY\\NetworkService" or a user such as ".\\operator". Default for a new
	// service: "LocalSystem".
	Account string `hcl:"account,optional"`
	// Password is that of a user in account. It is set when the account changes: whether
	// the one that Windows has kept is right cannot be seen.
	Password secret.Value `hcl:"password,optional"`
	// Dependencies are the services that must run before this one; [] for none.
	Dependencies *[]string `hcl:"dependencies,optional"`
	// Environment are variables of the service besides those of the system. They may
	// be read by all users of the host.
	Environment *map[string]string `hcl:"environment,optional"`
	// RestartAfter says how long Windows waits before it starts the service again after
	// its first, second and further failures, such as ["5s", "1m"]; [] for not at all.
	RestartAfter *[]string `hcl:"restart_after,optional"`
	// FailuresForgotten is how long the service must run until its next failure counts
	// as the first. Default "24h".
	FailuresForgotten string `hcl:"failures_forgotten,optional"`
	// RestartOn is what the running service was started with besides, such as checksums
	// of its configuration files.
	RestartOn []string `hcl:"restart_on,optional"`
	// State is "started", "stopped", or "absent". Default: as it is.
	State string `hcl:"state,optional"`
}

// Kind is the module "win_service".
func Kind() module.Kind {
	return module.Kind{Name: "win_service", OS: []module.OS{module.Windows}, Elsewhere: "service",
		New: func() module.Task { return &Task{FailuresForgotten: "24h"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	// Names of services have at most 256 characters without slashes; quotes would end
	// the name in a query, and cmdlets take the others for patterns.
	if !regexp.MustCompile(`^[^/\\'"*?\[\]\n]{1,256}$`).MatchString(t.Name) {
		return fmt.Errorf("name is %q, want the name of a service such as \"containerd\"", t.Name)
	}
	if err := fileattr.CheckState(t.State, "", "started", "stopped", "absent"); err != nil {
		return fmt.Errorf("state is %q, want one of started, stopped, absent", t.State)
	}
	if t.Path != "" {
		if err := winpath.Check("path", t.Path); err != nil {
			return err
		}
	}
	switch {
	case t.Start != "" && starts()[t.Start] == (start{}):
		return fmt.Errorf("start is %q, want auto, delayed-auto, manual or disabled", t.Start)
	case len(t.Arguments) > 0 && t.Path == "":
		return errors.New("arguments are those of the program, want path beside them")
	case t.Password != "" && t.Account == "":
		return errors.New("password is that of account, want it beside account")
	case t.State == "started" && t.Start == "disabled":
		return errors.New("a disabled service cannot be started, want another start or state")
	case t.Dependencies != nil && slices.ContainsFunc(*t.Dependencies, badDependency):
		return fmt.Errorf("dependencies is %q, want names of services", *t.Dependencies)
	}
	return t.checkRecovery()
}

func badDependency(name string) bool { return name == "" || strings.ContainsAny(name, "/\"") }

func (t *Task) checkRecovery() error {
	if d, err := time.ParseDuration(t.FailuresForgotten); err != nil || d < time.Second {
		return fmt.Errorf("failures_forgotten is %q, want a duration such as \"24h\"", t.FailuresForgotten)
	}
	if t.RestartAfter == nil {
		return nil
	}
	for _, pause := range *t.RestartAfter {
		if d, err := time.ParseDuration(pause); err != nil || d < 0 || d > 24*time.Hour {
			return fmt.Errorf("restart_after has %q, want durations such as \"5s\", at most 24h", pause)
		}
	}
	return nil
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	return powershell.Read[state](ctx, h, readScript, map[string]any{"name": t.Name})
}

// Plan compares the service with the wish.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	h.AddSecret(t.Password)
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		if !s.There || s.Deleted {
			return nil, nil
		}
		return []module.Step{powershell.Step("remove service "+t.Name, removeScript, map[string]any{"name": t.Name})}, nil
	}
	d, err := t.decide(s)
	if err != nil {
		return nil, err
	}
	var steps []module.Step
	if d.text != "" {
		steps = append(steps, powershell.Step(d.text, setScript+keepScript, d.change))
	}
	if d.action != "" {
		steps = append(steps, powershell.Step(d.action+" service "+t.Name+d.why, runScript+keepScript,
			map[string]any{"name": t.Name, "action": d.action, "fingerprint": d.fingerprint}))
	}
	return steps, nil
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "running": cty.Bool, "start": cty.String}
}

// Outputs reads how the service is.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	return map[string]cty.Value{
		"name": cty.StringVal(t.Name), "running": cty.BoolVal(s.runs()), "start": cty.StringVal(s.startWord()),
	}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

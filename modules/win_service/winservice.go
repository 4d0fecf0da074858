// Package winservice is the module "win_service": a service of a Windows host that
// runs, starts at boot, or is made by kinit.
package winservice

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kinit/engine/module"
	"kinit/engine/secret"
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

// Task is a service of a Windows host. Arguments that are not given change nothing. A missing
// service is made if path is given.
//
// A running service is restarted when its start inputs have changed: its program
// with arguments, account and environment, and restart_on. They are compared with the
// inputs of kinit's last start, or of the service that kinit made for others to start, which
// the registry stores below HKLM\SOFTWARE\kinit.
//
// Errors:
//   - there is no service with the name, and no path to make one
//   - it does not start; the error has its exit code
//   - it is marked for deletion while another program, such as the list of services, has it open
//   - the account may not log in as a service
type Task struct {
	// Name is the service's internal name, not its name in lists.
	Name string `hcl:"name"`
	// Path is the path of the program, such as "C:/k/kubelet.exe".
	Path string `hcl:"path,optional"`
	// Arguments are the program's arguments.
	Arguments []string `hcl:"arguments,optional"`
	// DisplayName is the name in lists.
	DisplayName *string `hcl:"display_name,optional"`
	// Description is the service's description.
	Description *string `hcl:"description,optional"`
	// Start is when it starts; "delayed-auto" is some minutes after the others. Default for
	// a new service: "auto".
	Start string `hcl:"start,optional" enum:"auto,delayed-auto,manual,disabled"`
	// Account is the service's account: "LocalSystem", "NT AUTHORITY\\LocalService",
	// "NT AUTHORITY\\NetworkService" or a user such as ".\\operator". Default for a new
	// service: "LocalSystem".
	Account string `hcl:"account,optional"`
	// Password is the password of a user in account. It is set only when the account changes:
	// Windows does not show whether its stored password is right.
	Password secret.Value `hcl:"password,optional"`
	// Dependencies are the services that must run before this one; [] for none.
	Dependencies *[]string `hcl:"dependencies,optional"`
	// Environment are variables of the service in addition to those of the system. All users
	// of the host can read them.
	Environment *map[string]string `hcl:"environment,optional"`
	// RestartAfter are the waiting times before Windows restarts the service after
	// its first, second and further failures, such as ["5s", "1m"]; [] for no restart.
	RestartAfter *[]string `hcl:"restart_after,optional"`
	// FailuresForgotten is how long the service must run before its next failure counts as
	// the first.
	FailuresForgotten string `hcl:"failures_forgotten,optional" default:"24h"`
	// RestartOn are further inputs of the running service, such as checksums
	// of its configuration files.
	RestartOn []string `hcl:"restart_on,optional"`
	// State is the wanted state. Default: unchanged.
	State string `hcl:"state,optional" enum:"started,stopped,absent"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_service", OS: []module.OS{module.Windows}, Elsewhere: "service"})
}

// notInNames are the characters that no name of a service has: slashes; quotes, which would end
// the name in a query; and those that cmdlets treat as patterns.
const notInNames = "/\\'\"*?[]\n"

// maxName is the limit of Windows, in characters.
const maxName = 256

func (t *Task) Validate() error {
	if t.Name == "" || utf8.RuneCountInString(t.Name) > maxName || strings.ContainsAny(t.Name, notInNames) {
		return fmt.Errorf("name is %q, want the name of a service such as \"containerd\"", t.Name)
	}
	if err := winpath.CheckGiven("path", t.Path); err != nil {
		return err
	}
	switch {
	case len(t.Arguments) > 0 && t.Path == "":
		return errors.New("arguments are those of the program, want path beside them")
	case t.Password != "" && t.Account == "":
		return errors.New("password is that of account, want it beside account")
	case t.State == "started" && t.Start == "disabled":
		return errors.New("a disabled service cannot be started, want another start or state")
	case t.Dependencies != nil && slices.ContainsFunc(*t.Dependencies, badDependency):
		return fmt.Errorf("dependencies is %q, want names of services", *t.Dependencies)
	}
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

func badDependency(name string) bool { return name == "" || strings.ContainsAny(name, "/\"") }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	return powershell.Read[state](ctx, h, readScript, map[string]any{"name": t.Name})
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	h.AddSecret(t.Password)
	s, err := t.read(ctx, h)
	absent := t.State == "absent"
	switch {
	case err != nil || absent && (!s.There || s.Deleted):
		return nil, err
	case absent:
		return powershell.OneStep("remove service "+t.Name, removeScript, map[string]any{"name": t.Name}), nil
	}
	d, err := t.decide(s)
	if err != nil {
		return nil, err
	}
	steps := powershell.OneStep(d.text, setScript+keepScript, d.change)
	if d.action != "" {
		steps = append(steps, powershell.Step(d.action+" service "+t.Name+d.why, runScript+keepScript,
			map[string]any{"name": t.Name, "action": d.action, "fingerprint": d.fingerprint}))
	}
	return steps, nil
}

type Outputs struct {
	Name    string `cty:"name"`    // the service
	Running bool   `cty:"running"` // whether it runs
	Start   string `cty:"start"`   // its start type: "auto", "delayed-auto", "manual" or "disabled"
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	return Outputs{Name: t.Name, Running: s.runs(), Start: s.startWord()}, err
}

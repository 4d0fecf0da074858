// Package winfacts is the module "win_facts": what a Windows host is and has. It never
// changes anything.
package winfacts

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

// Task reads what a Windows host is, and changes nothing. It reads each time when the
// task comes to its turn.
//
// Outputs:
//   - os_name: the product, in the host's language, such as "Microsoft Windows Server 2022 Datacenter"
//   - version: the version with its build, such as "10.0.20348"
//   - build: the build, such as 20348 for Server 2022
//   - revision: the revision of the build, which updates raise
//   - edition: the edition, such as "ServerDatacenter"
//   - installation: how it is installed, such as "Server Core"
//   - server: whether it is Windows Server
//   - memory_bytes: memory in bytes
//   - cpus: number of logical processors
//   - last_boot: when the host started, in UTC
//   - hostname: the name the host has of itself
//   - addresses: IP addresses that are in use, by the name of their interface
//   - features: the features that are installed
//
// Errors:
//   - a part of Windows that knows does not answer
type Task struct{}

// Kind is the module "win_facts".
func Kind() module.Kind {
	return module.Kind{Name: "win_facts", Reads: true, OS: []module.OS{module.Windows}, Elsewhere: "facts",
		New: func() module.Task { return &Task{} }}
}

// Plan has nothing to do.
func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"os_name": cty.String, "version": cty.String, "build": cty.Number, "revision": cty.Number,
		"edition": cty.String, "installation": cty.String, "server": cty.Bool,
		"memory_bytes": cty.Number, "cpus": cty.Number, "last_boot": cty.String, "hostname": cty.String,
		"addresses": cty.Map(cty.List(cty.String)), "features": cty.List(cty.String),
	}
}

// facts is what the script tells.
type facts struct {
	Name, Version         string
	Build, Revision       int64
	Edition, Installation string
	Server                bool
	Memory, CPUs          int64
	Boot, Hostname        string
	Addresses             []struct{ Interface, Address string }
	Features              []string
}

// Outputs reads the host.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	f, err := powershell.Read[facts](ctx, h, readScript, nil)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", h.Name(), err)
	}
	return map[string]cty.Value{
		"os_name": cty.StringVal(f.Name), "version": cty.StringVal(f.Version),
		"build": cty.NumberIntVal(f.Build), "revision": cty.NumberIntVal(f.Revision),
		"edition": cty.StringVal(f.Edition), "installation": cty.StringVal(f.Installation), "server": cty.BoolVal(f.Server),
		"memory_bytes": cty.NumberIntVal(f.Memory), "cpus": cty.NumberIntVal(f.CPUs),
		"last_boot": cty.StringVal(f.Boot), "hostname": cty.StringVal(f.Hostname),
		"addresses": f.addresses(), "features": texts(f.Features),
	}, nil
}

func (f facts) addresses() cty.Value {
	byInterface := map[string][]string{}
	for _, a := range f.Addresses {
		byInterface[a.Interface] = append(byInterface[a.Interface], a.Address)
	}
	if len(byInterface) == 0 {
		return cty.MapValEmpty(cty.List(cty.String))
	}
	values := map[string]cty.Value{}
	for name, list := range byInterface {
		values[name] = texts(list)
	}
	return cty.MapVal(values)
}

func texts(list []string) cty.Value {
	if len(list) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	values := make([]cty.Value, len(list))
	for i, text := range list {
		values[i] = cty.StringVal(text)
	}
	return cty.ListVal(values)
}

var _ module.Outputter = (*Task)(nil)

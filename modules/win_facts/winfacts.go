// Package winfacts is the module "win_facts": a Windows host's properties and resources. It
// never changes anything.
package winfacts

import (
	"context"
	_ "embed"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

// Task reads the properties of a Windows host, and changes nothing. It reads every time
// the task runs.
//
// Errors:
//   - the part of Windows with this data does not answer
type Task struct{}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_facts", Reads: true, OS: []module.OS{module.Windows}, Elsewhere: "facts"})
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

type Outputs struct {
	OSName       string              `cty:"os_name"`      // the product, in the host's language, such as "Microsoft Windows Server 2022 Datacenter"
	Version      string              `cty:"version"`      // the version with its build, such as "10.0.20348"
	Build        int64               `cty:"build"`        // the build, such as 20348 for Server 2022
	Revision     int64               `cty:"revision"`     // the revision of the build, which updates raise
	Edition      string              `cty:"edition"`      // the edition, such as "ServerDatacenter"
	Installation string              `cty:"installation"` // how it is installed, such as "Server Core"
	Server       bool                `cty:"server"`       // whether it is Windows Server
	MemoryBytes  int64               `cty:"memory_bytes"` // memory in bytes
	CPUs         int64               `cty:"cpus"`         // number of logical processors
	LastBoot     string              `cty:"last_boot"`    // when the host started, in UTC
	Hostname     string              `cty:"hostname"`     // the host's own name
	Addresses    map[string][]string `cty:"addresses"`    // IP addresses that are in use, by the name of their interface
	Features     []string            `cty:"features"`     // the features that are installed
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	facts, err := powershell.Read[struct {
		Outputs
		Addresses []struct{ Interface, Address string }
	}](ctx, h, readScript, nil)
	if err != nil {
		return Outputs{}, fmt.Errorf("read the facts of %s: %w", h.Name(), err)
	}
	byInterface := map[string][]string{}
	for _, a := range facts.Addresses {
		byInterface[a.Interface] = append(byInterface[a.Interface], a.Address)
	}
	facts.Outputs.Addresses = byInterface
	return facts.Outputs, nil
}

// Package servicefacts is the module "service_facts": which services a host has, and whether
// they run.
package servicefacts

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// Task reads which services systemd has on the host, and changes nothing.
//
// Errors:
//   - systemd does not run on the host
type Task struct{ module.Facts }

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "service_facts", Reads: true})
}

// Service is what systemd has of one service.
type Service struct {
	Active  bool   `cty:"active"`
	State   string `cty:"state"`
	Enabled bool   `cty:"enabled"`
	Status  string `cty:"status"`
}

type Outputs struct {
	// the services by name, such as "ssh.service". active is whether it runs, state is what
	// systemd says of it, such as "active", "failed" or "inactive"; enabled is whether it starts
	// at boot, status is what systemd says of its file, such as "enabled", "static" or "masked",
	// empty for one without a file
	Services map[string]Service `cty:"services"`
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	files, err := list(ctx, h, "list-unit-files")
	if err != nil {
		return Outputs{}, err
	}
	units, err := list(ctx, h, "list-units", "--all")
	if err != nil {
		return Outputs{}, err
	}
	return Outputs{Services: join(files, units)}, nil
}

// list runs a command of systemctl that prints a line for each service.
func list(ctx context.Context, h module.Host, verb ...string) ([][]string, error) {
	argv := append(append([]string{"systemctl"}, verb...), "--type=service", "--plain", "--no-legend", "--no-pager", "--full")
	out, err := h.Run(ctx, module.Command{Argv: argv})
	if err != nil {
		return nil, fmt.Errorf("ask systemd for its services: %w", err)
	}
	var lines [][]string
	for line := range strings.Lines(out.Stdout) {
		if fields := strings.Fields(line); len(fields) > 1 {
			lines = append(lines, fields)
		}
	}
	return lines, nil
}

// join needs no host. A line of a file has its name and state; that of a unit has its name,
// whether it is loaded, and its state.
func join(files, units [][]string) map[string]Service {
	all := map[string]Service{}
	for _, f := range files {
		all[f[0]] = Service{State: "inactive", Status: f[1], Enabled: f[1] == "enabled"}
	}
	for _, u := range units {
		if len(u) < 3 || u[1] == "not-found" {
			continue
		}
		s := all[u[0]]
		s.State, s.Active = u[2], u[2] == "active" || u[2] == "reloading"
		all[u[0]] = s
	}
	return all
}

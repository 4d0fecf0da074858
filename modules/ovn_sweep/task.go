// Package ovnsweep removes a cluster's objects from OVN's databases: module
// ovn_sweep.
package ovnsweep

import (
	"context"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_sweep"})
}

// Task removes a cluster's routers, switches, ports and DHCP options from OVN. It runs
// on the host of ovn-central. With all, it also removes the listener of the southbound
// database.
//
// A router that remains keeps its ports, translations, routes and the switch ports that lead to
// it. Ports of a switch that remains are removed unless keep names them.
//
// Errors:
//   - OVN's databases do not answer, or refuse a change
type Task struct {
	ovn.Sweep
	// KeepRoutes are the destinations of the routes that remaining routers keep, such as
	// "0.0.0.0/0"; the cluster's other routes are removed. Left out, all remain.
	KeepRoutes []string `hcl:"keep_routes,optional"`
}

// Plan lists the cluster's objects in an order in which they can be removed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	north, err := ovn.Load[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return nil, err
	}
	t.Look(h, north)
	steps := ovn.SweepSteps(h, ovn.Northbound(), north, t.removals)
	if !t.All {
		return steps, nil
	}
	forget, err := ovn.PlanAbsent(ctx, h, ovn.Northbound(), func(rows nb.Rows, owner string) (ovn.Change, error) {
		return ovn.WantNone(rows, owner), nil
	})
	if err != nil {
		return nil, err
	}
	south, err := ovn.Load[sb.Rows](ctx, h, ovn.Southbound())
	if err != nil {
		return nil, err
	}
	more, err := ovn.PlanAbsent(ctx, h, ovn.Southbound(), dropListener(south))
	return slices.Concat(steps, forget, more), err
}

type Outputs struct {
	Count int `cty:"count"` // number of the cluster's rows that are left
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	north, err := ovn.Left[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return Outputs{}, err
	}
	south, err := ovn.Left[sb.Rows](ctx, h, ovn.Southbound())
	return Outputs{Count: north + south}, err
}

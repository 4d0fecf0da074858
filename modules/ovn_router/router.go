// Package ovnrouter manages OVN's logical routers with their ports, translations and routes:
// modules ovn_router, ovn_router_port, ovn_nat and ovn_route.
package ovnrouter

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_router", Signs: true})
}

// Task is a logical router of OVN. It runs on the host of ovn-central.
// An absent router goes with its ports, their peers on switches, translations and routes.
//
// Errors:
//   - a router with the name belongs to another cluster
//   - the host has no OVN northbound database, or it does not answer
type Task struct {
	// Name is the logical router's name.
	Name string `hcl:"name" nonempty:"want the logical router's name"`
	// Options are all options of the router, by OVN's names.
	Options map[string]string `hcl:"options,optional"`
	module.Presence
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

func (t *Task) present(rows nb.Rows, owner string) (ovn.Change, error) {
	have, missing, err := ovn.FindRouter(rows, t.Name, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	want := have
	want.Name, want.Options = t.Name, t.Options
	if missing != nil {
		want.ExternalIDs = ovn.Owned(owner, nil)
		return ovn.Change{
			Text:  ovn.Lines("create logical router "+t.Name, ovn.Show(want, "options")),
			Edits: []ovn.Edit{ovn.Unless(&want, &want.Name), ovn.Insert(&want)},
		}, nil
	}
	return ovn.Correct("change logical router "+t.Name, have, want, "options"), nil
}

func (t *Task) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	have, missing, err := ovn.FindRouter(rows, t.Name, owner)
	if err != nil || missing != nil {
		return ovn.Change{}, err
	}
	return ovn.DropRouter(rows, have, owner), nil
}

type Outputs struct {
	Name string `cty:"name"` // the router
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	return Outputs{Name: t.Name}, ctx.Err()
}

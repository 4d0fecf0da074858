// Package ovnswitch manages OVN's logical switches and the DHCP options of their networks:
// modules ovn_switch and ovn_dhcp.
package ovnswitch

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_switch", Signs: true})
}

// Task is a logical switch of OVN. It runs on the host of ovn-central.
// An absent switch goes with the cluster's ports.
//
// Errors:
//   - a switch with the name belongs to another cluster and is not shared
//   - the host has no OVN northbound database, or it does not answer
type Task struct {
	// Name is the logical switch's name.
	Name string `hcl:"name" nonempty:"want the logical switch's name"`
	// OtherConfig is the complete other_config of the switch, such as
	// { mcast_snoop = "true" }.
	OtherConfig map[string]string `hcl:"other_config,optional"`
	// Shared lets several clusters use the switch, such as the one that leads outside. It is
	// removed with the last of them.
	Shared bool `hcl:"shared,optional"`
	module.Presence
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

func (t *Task) present(rows nb.Rows, owner string) (ovn.Change, error) {
	if t.Shared && owner != "" {
		return t.share(rows, owner)
	}
	have, missing, err := ovn.FindSwitch(rows, t.Name, owner)
	switch {
	case err != nil:
		return ovn.Change{}, err
	case missing != nil:
		return t.create(ovn.Owned(owner, nil)), nil
	case !ovn.IsOwned(have.ExternalIDs, owner):
		return ovn.Change{}, fmt.Errorf("logical switch %s is shared by cluster %s; set shared = true or use another name",
			t.Name, ovn.Names(ovn.Sharers(have.ExternalIDs), owner))
	}
	return t.change(have), nil
}

// share decides about a switch that others can use too.
func (t *Task) share(rows nb.Rows, owner string) (ovn.Change, error) {
	all := rows.SwitchesNamed(t.Name)
	if len(all) == 0 {
		return t.create(ovn.Shared(owner, nil)), nil
	}
	have := all[0]
	if len(all) > 1 || len(ovn.Sharers(have.ExternalIDs)) == 0 {
		return ovn.Change{}, ovn.Foreign("logical switch "+t.Name, have.ExternalIDs, owner, "ovn-nbctl ls-del "+t.Name)
	}
	return ovn.Share("logical switch "+t.Name, &have, &have.ExternalIDs, owner, t.change(have))
}

func (t *Task) create(ids map[string]string) ovn.Change {
	row := nb.Switch{Name: t.Name, OtherConfig: t.OtherConfig, ExternalIDs: ids}
	return ovn.Change{
		Text:  ovn.Lines("create logical switch "+t.Name, ovn.Show(row, "other_config")),
		Edits: []ovn.Edit{ovn.Unless(&row, &row.Name), ovn.Insert(&row)},
	}
}

func (t *Task) change(have nb.Switch) ovn.Change {
	want := have
	want.OtherConfig = t.OtherConfig
	return ovn.Correct("change logical switch "+t.Name, have, want, "other_config")
}

func (t *Task) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	have, missing, err := ovn.FindSwitch(rows, t.Name, owner)
	if err != nil || missing != nil {
		return ovn.Change{}, err
	}
	return ovn.DropSwitch(rows, have, owner), nil
}

type Outputs struct {
	Name string `cty:"name"` // the switch
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	return Outputs{Name: t.Name}, ctx.Err()
}

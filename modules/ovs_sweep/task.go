// Package ovssweep removes a cluster's objects from a host's Open vSwitch: module
// ovs_sweep.
package ovssweep

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
	"kinit/modules/internal/ownership"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovs_sweep", Sweeps: true})
}

// Task removes a cluster's ports and bridges from a host's Open vSwitch. With all, it also gives
// up the settings of ovn_chassis: with the last cluster, their former values are restored.
//
// If ovn-controller is to stop, stop it first: when it ends, it removes its chassis from the
// southbound database, but only while its settings exist.
//
// A run removes the port of a node that stays only if --remove names the node, or an answer on the
// terminal; with all, the task says itself what it removes.
//
// Errors:
//   - a removal is not named; the task has changed nothing
//   - Open vSwitch does not answer, or refuses a change
type Task struct{ ovn.Sweep }

// Plan lists the cluster's objects in an order in which they can be removed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	rows, err := ovn.Load[vs.Rows](ctx, h, ovn.Switch())
	if err != nil {
		return nil, err
	}
	t.NoteForeign(h, rows)
	var steps []module.Step
	owner := ownership.Signature(h)
	for _, p := range rows.Ports {
		if ovn.IsOwned(p.ExternalIDs, owner) && t.Goes(p.Name) {
			steps = append(steps, t.portStep(rows, p, owner))
		}
	}
	devices, err := t.devices(ctx, h, rows)
	if err != nil {
		return nil, err
	}
	return slices.Concat(steps, devices, ovn.SweepSteps(h, ovn.Switch(), rows, t.rest)), nil
}

// devices removes veth devices without a port, which an interrupted ovs_veth left.
func (t *Task) devices(ctx context.Context, h module.Host, rows vs.Rows) ([]module.Step, error) {
	names, err := link.WithAlias(ctx, h, vswitch.Alias(ownership.Signature(h)))
	if err != nil {
		return nil, err
	}
	var steps []module.Step
	for _, name := range names {
		if _, found := rows.Port(name); found || !t.Goes(name) {
			continue
		}
		steps = append(steps, link.Deletion(name))
	}
	return steps, nil
}

// portStep removes a port with its other parts. The row is removed last: after an
// interruption it is the record of the other parts.
func (t *Task) portStep(rows vs.Rows, p vs.Port, owner string) module.Step {
	drop := func(rows vs.Rows, owner string) (ovn.Change, error) {
		if now, found := rows.Port(p.Name); !found || now.UUID != p.UUID {
			return ovn.Change{}, nil
		}
		return vswitch.DropPort(p.Name)(rows, owner)
	}
	change, _ := drop(rows, owner)
	return ovn.NewRemoval(change.Text, t.guarded(rows, p), func(ctx context.Context, h module.Host) error {
		if p.ExternalIDs[vswitch.DeviceKey] == vswitch.VethDevice {
			if err := link.Delete(ctx, h, p.Name); err != nil {
				return err
			}
		}
		addresses := strings.Fields(p.ExternalIDs[vswitch.AddressesKey])
		if err := link.RemoveAddresses(ctx, h, p.Name, addresses); err != nil {
			return err
		}
		return ovn.Do(ctx, h, ovn.Switch(), drop)
	})
}

// guarded returns the name in OVN of a port that the engine must not let go while it is that of a node that stays. With all, the
// task says itself that it goes.
func (t *Task) guarded(rows vs.Rows, p vs.Port) []string {
	device, _ := rows.Interface(p.Name)
	if id := device.ExternalIDs["iface-id"]; id != "" && !t.All {
		return []string{id}
	}
	return nil
}

// rest lists the removals besides ports: settings first, because they name bridges. It deletes
// bridges that the cluster made or shares, or leaves them to others, and restores bridges that the
// cluster only changed.
func (t *Task) rest(rows vs.Rows, owner string) []ovn.Removal {
	var all []ovn.Removal
	if t.All {
		all = append(all, ovn.Removal{Change: vswitch.ReleaseHost(rows, owner)})
	}
	for _, b := range rows.Bridges {
		if !t.Goes(b.Name) {
			continue
		}
		change := vswitch.ReleaseBridge(b, owner)
		if ovn.Shares(b.ExternalIDs, owner) {
			change = vswitch.DropBridge(rows, b, owner)
		}
		all = append(all, ovn.Removal{Key: b.Name, Change: change})
	}
	return all
}

type Outputs struct {
	Count int `cty:"count"` // number of the cluster's rows that are left
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	count, err := ovn.Left[vs.Rows](ctx, h, ovn.Switch())
	return Outputs{Count: count}, err
}

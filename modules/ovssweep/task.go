// Package ovssweep removes what a cluster owns in a host's Open vSwitch: module
// ovs_sweep.
package ovssweep

import (
	"context"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
)

// Kind is module ovs_sweep: clean-up of the cluster's ports, bridges and settings
// of a hypervisor's Open vSwitch. Stop ovn-controller before it where that is to
// stop: it takes its chassis out of the southbound database when it ends, as long
// as its settings are there.
func Kind() module.Kind {
	return module.Kind{Name: "ovs_sweep", New: func() module.Task { return &Task{} }}
}

// Task removes a cluster's ports, bridges and settings from a host's Open vSwitch.
//
// Stop ovn-controller before it where that is to stop: it takes its chassis out of the
// southbound database when it ends, as long as its settings are there.
//
// Outputs:
//   - count: rows of the cluster that are still there and should not be
//
// Errors:
//   - Open vSwitch does not answer, or refuses a change
type Task struct {
	// All removes everything the cluster owns, and gives up the settings of
	// ovn_chassis: what was there before comes back with the last cluster. Default
	// false removes the ports and bridges that keep does not name.
	All bool `hcl:"all,optional"`
	// Keep are the names of ports and bridges that stay.
	Keep []string `hcl:"keep,optional"`

	told string
}

// Plan lists what is the cluster's, in an order in which it can go.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	var rows vs.Rows
	if err := ovn.Load(ctx, h, ovn.Switch(), &rows); err != nil {
		return nil, err
	}
	t.told = ovn.LeftAlone(h, ovn.Namesakes(h, rows))
	var steps []module.Step
	for _, p := range vswitch.OwnedPorts(rows, claim.Signature(h)) {
		if t.goes(p.Name) {
			steps = append(steps, portStep(rows, p, claim.Signature(h)))
		}
	}
	devices, err := t.devices(ctx, h, rows)
	if err != nil {
		return nil, err
	}
	steps = append(steps, devices...)
	for _, remove := range t.rest(rows, claim.Signature(h)) {
		steps = append(steps, step(remove(rows).Text, remove))
	}
	return steps, nil
}

// devices removes the veth devices that an interrupted ovs_veth made without a
// port.
func (t *Task) devices(ctx context.Context, h module.Host, rows vs.Rows) ([]module.Step, error) {
	names, err := link.WithAlias(ctx, h, vswitch.Alias(claim.Signature(h)))
	if err != nil {
		return nil, err
	}
	var steps []module.Step
	for _, name := range names {
		if _, found := rows.Port(name); found || !t.goes(name) {
			continue
		}
		steps = append(steps, module.NewStep("delete veth "+name, func(ctx context.Context, h module.Host) error {
			return link.Delete(ctx, h, name)
		}))
	}
	return steps, nil
}

// decision finds a thing in the rows and says what removes it; nothing when it is
// gone.
type decision func(rows vs.Rows) ovn.Change

// step commits what the decision says at that time.
func step(text string, remove decision) module.Step {
	return module.NewStep(text, func(ctx context.Context, h module.Host) error {
		return ovn.Do(ctx, h, ovn.Switch(), func(rows vs.Rows) (ovn.Change, error) { return remove(rows), nil })
	})
}

// portStep removes a port with what belongs to it besides its row. The row goes
// last: it is what tells of the rest after an interruption.
func portStep(rows vs.Rows, p vs.Port, owner string) module.Step {
	drop := func(rows vs.Rows) (ovn.Change, error) {
		if now, found := rows.Port(p.Name); !found || now.UUID != p.UUID {
			return ovn.Change{}, nil
		}
		return vswitch.DropPort(rows, p.Name, owner)
	}
	change, _ := drop(rows)
	return module.NewStep(change.Text, func(ctx context.Context, h module.Host) error {
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

// rest lists what is to be done besides ports: settings first, as they name
// bridges. A bridge that ports of somebody else keep from going comes last, so that
// it stops nothing else.
func (t *Task) rest(rows vs.Rows, owner string) []decision {
	var all []decision
	release := func(rows vs.Rows) ovn.Change { return vswitch.ReleaseHost(rows, owner) }
	if t.All && !release(rows).Empty() {
		all = append(all, release)
	}
	for _, b := range rows.Bridges {
		if remove := removeBridge(b.Name, owner); t.goes(b.Name) && !remove(rows).Empty() {
			all = append(all, remove)
		}
	}
	slices.SortStableFunc(all, func(a, b decision) int { return blocked(a(rows)) - blocked(b(rows)) })
	return all
}

func blocked(c ovn.Change) int {
	if c.Blocked != nil {
		return 1
	}
	return 0
}

// removeBridge leaves a bridge that the cluster made or shares to others or deletes
// it, and restores one that it only changed.
func removeBridge(name, owner string) decision {
	return func(rows vs.Rows) ovn.Change {
		b, found := rows.Bridge(name)
		switch {
		case !found:
			return ovn.Change{}
		case ovn.Shares(b.ExternalIDs, owner):
			return vswitch.DropBridge(rows, b, owner)
		}
		return vswitch.ReleaseBridge(b, owner)
	}
}

// goes tells whether a thing of this name is to be removed.
func (t *Task) goes(name string) bool { return t.All || !slices.Contains(t.Keep, name) }

// Tells names the rows that another cluster of the name has.
func (t *Task) Tells() string { return t.told }

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"count": cty.Number} }

// Outputs counts the rows that still have a mark of the cluster.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	var rows vs.Rows
	if err := ovn.Load(ctx, h, ovn.Switch(), &rows); err != nil {
		return nil, err
	}
	return map[string]cty.Value{"count": cty.NumberIntVal(int64(ovn.Marked(rows, claim.Signature(h))))}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Messenger = (*Task)(nil)
)

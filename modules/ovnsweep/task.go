// Package ovnsweep removes what a cluster owns in OVN's databases: module
// ovn_sweep.
package ovnsweep

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
)

// Kind is module ovn_sweep: clean-up of the cluster's routers, switches, ports,
// DHCP options and chassis groups. It runs on the host of ovn-central.
func Kind() module.Kind {
	return module.Kind{Name: "ovn_sweep", New: func() module.Task { return &Task{} }}
}

// Task removes a cluster's routers, switches, ports and DHCP options from OVN. It runs
// on the host of ovn-central.
//
// Outputs:
//   - count: rows of the cluster that are still there and should not be
//
// Errors:
//   - OVN's databases do not answer, or refuse a change
type Task struct {
	// All removes everything the cluster owns, how the southbound database listens
	// included. Default false removes what keep does not name.
	All bool `hcl:"all,optional"`
	// Keep are the names of logical routers, logical switches, ports and DHCP options
	// that stay. A router that stays keeps its ports, translations, routes and the
	// switch ports that lead to it. Ports of a switch that stays go unless they are
	// named.
	Keep []string `hcl:"keep,optional"`

	told string
}

// decision finds a thing in the rows and says what removes it; nothing when it is
// gone.
type decision func(rows nb.Rows) ovn.Change

// Plan lists what is the cluster's, in an order in which it can go.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	var north nb.Rows
	if err := ovn.Load(ctx, h, ovn.Northbound(), &north); err != nil {
		return nil, err
	}
	t.told = ovn.LeftAlone(h, ovn.Namesakes(h, north))
	var steps []module.Step
	for _, remove := range t.decisions(north, claim.Signature(h)) {
		if change := remove(north); !change.Empty() {
			steps = append(steps, module.NewStep(change.Text, func(ctx context.Context, h module.Host) error {
				return ovn.Do(ctx, h, ovn.Northbound(), func(rows nb.Rows) (ovn.Change, error) { return remove(rows), nil })
			}))
		}
	}
	if !t.All {
		return steps, nil
	}
	var south sb.Rows
	if err := ovn.Load(ctx, h, ovn.Southbound(), &south); err != nil {
		return nil, err
	}
	more, err := ovn.PlanAbsent(ctx, h, ovn.Southbound(), dropListener(south, claim.Signature(h)))
	return append(steps, more...), err
}

// goes tells whether a thing of this name is to be removed.
func (t *Task) goes(name string) bool { return t.All || !slices.Contains(t.Keep, name) }

// Tells names the rows that another cluster of the name has.
func (t *Task) Tells() string { return t.told }

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"count": cty.Number} }

// Outputs counts the rows that still have a mark of the cluster.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	var north nb.Rows
	var south sb.Rows
	if err := ovn.Load(ctx, h, ovn.Northbound(), &north); err != nil {
		return nil, err
	}
	if err := ovn.Load(ctx, h, ovn.Southbound(), &south); err != nil {
		return nil, err
	}
	count := ovn.Marked(north, claim.Signature(h)) + ovn.Marked(south, claim.Signature(h))
	return map[string]cty.Value{"count": cty.NumberIntVal(int64(count))}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Messenger = (*Task)(nil)
)

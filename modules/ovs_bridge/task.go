// Package ovsbridge manages Open vSwitch bridges: module ovs_bridge.
//
// A bridge belongs to the host and can serve several clusters: each that made or
// shares it leaves a mark, and it is removed with the last of them. A bridge from
// before kinit is used without changes and never claimed.
package ovsbridge

import (
	"cmp"
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovs_bridge", Signs: true})
}

// Task is an Open vSwitch bridge with its own device. It can serve several clusters
// and is removed with the last of them. A bridge from before kinit is used without changes
// and never claimed.
//
// Errors:
//   - name is longer than 15 characters, or an address has no prefix length
//   - a bridge from before kinit has a device that differs; the error has the needed changes
//   - Open vSwitch does not make the bridge; the error has its message
type Task struct {
	// Name is the bridge's name and that of its own device, at most 15 characters.
	Name string `hcl:"name"`
	// DatapathType is "system" (the kernel's) or "netdev" (userspace). Empty leaves
	// it unchanged; a new bridge is then a system one.
	DatapathType string `hcl:"datapath_type,optional" enum:"system,netdev"`
	// FailMode is "standalone" (a plain switch) or "secure" (only what flows allow).
	// Empty leaves it unchanged; a new bridge is then a plain switch.
	FailMode string `hcl:"fail_mode,optional" enum:"standalone,secure"`
	// MAC is the Ethernet address of the bridge's own device, in lower case. Empty:
	// Open vSwitch chooses it.
	MAC string `hcl:"mac,optional"`
	// MTU is the MTU of the bridge's own device, in bytes. 0: Open vSwitch chooses it.
	MTU int `hcl:"mtu,optional"`
	// Addresses are set on the bridge's own device, with prefix length, such as
	// "172.16.0.254/24"; the device is then brought up, and on a bridge that only
	// this cluster owns other addresses are removed. They are lost at a restart
	// of the host: run the output boot_script in a unit after openvswitch-switch.
	Addresses []string `hcl:"addresses,optional"`
	// TxOffload, when false, computes transmit checksums of the device in software (ethtool
	// -K NAME tx off), which the userspace datapath needs. True leaves them unchanged.
	TxOffload bool `hcl:"tx_offload,optional" default:"true"`
	// OtherConfig are keys to set in the bridge's other_config; others remain.
	OtherConfig map[string]string `hcl:"other_config,optional"`
	// ExternalIDs are keys to set in the bridge's external_ids; others remain.
	ExternalIDs map[string]string `hcl:"external_ids,optional"`
	module.Presence
}

func (t *Task) Validate() error {
	return cmp.Or(link.CheckName("name", t.Name), link.CheckMTU("mtu", t.MTU), link.CheckMAC("mac", t.MAC),
		link.CheckAddresses("addresses", t.Addresses))
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return ovn.PlanAbsent(ctx, h, ovn.Switch(), t.absent)
	}
	stands := ovn.Sole // a bridge that does not exist yet will be this cluster's alone
	steps, err := ovn.Plan(ctx, h, ovn.Switch(), func(rows vs.Rows, owner string) (ovn.Change, error) {
		if bridge, found := rows.Bridge(t.Name); found {
			stands = ovn.StandingOf(bridge.ExternalIDs, owner)
		}
		return t.present(rows, owner)
	})
	if err != nil || !t.managesDevice() {
		return steps, err
	}
	more, err := link.Plan(ctx, h, t.device(stands == ovn.Sole))
	if err != nil || len(more) == 0 {
		return steps, err
	}
	if stands == ovn.Unmarked {
		return nil, fmt.Errorf("bridge %s was there before kinit and its device differs; it needs:\n%s", t.Name, more[0])
	}
	return append(steps, more...), nil
}

// managesDevice reports whether an argument concerns settings of the bridge's device that
// are not in the database.
func (t *Task) managesDevice() bool { return len(t.Addresses) > 0 || !t.TxOffload }

// device is the bridge's own device. On a bridge that others use too, addresses are only
// added.
func (t *Task) device(ours bool) link.Want {
	return link.Want{Device: t.Name, Addresses: t.Addresses, TxOff: !t.TxOffload, Only: ours && len(t.Addresses) > 0}
}

type Outputs struct {
	Name string `cty:"name"` // the bridge
	// commands that restore the device's addresses after a boot, for a
	// unit
	BootScript string `cty:"boot_script"`
}

// Outputs returns the bridge's name and the script for a unit that runs at boot.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	return Outputs{Name: t.Name, BootScript: link.BootScript(t.managesDevice(), t.device(false))}, ctx.Err()
}

// macKey is the key of other_config with the address of the bridge's device.
const macKey = "hwaddr"

func (t *Task) present(rows vs.Rows, owner string) (ovn.Change, error) {
	bridge, found := rows.Bridge(t.Name)
	if !found {
		return t.create(rows, owner), nil
	}
	if t.Name == vswitch.IntegrationBridge && ovn.StandingOf(bridge.ExternalIDs, owner) == ovn.Unmarked {
		return t.adopt(rows, bridge, owner)
	}
	return ovn.Share("bridge "+t.Name, &bridge, &bridge.ExternalIDs, owner, t.change(rows, bridge))
}

func (t *Task) create(rows vs.Rows, owner string) ovn.Change {
	root := rows.Root()
	bridge := vs.Bridge{
		UUID: "bridge", Name: t.Name, DatapathType: t.DatapathType, FailMode: ovn.Optional(t.FailMode),
		Ports: []string{"port"}, OtherConfig: t.otherConfig(), ExternalIDs: ovn.Shared(owner, t.ExternalIDs),
	}
	device := vs.Interface{UUID: "device", Name: t.Name, Type: "internal", MTURequest: ovn.Optional(t.MTU)}
	lines := ovn.Show(bridge, "datapath_type", "fail_mode", "other_config")
	return ovn.Change{
		Text: ovn.Lines("create bridge "+t.Name, append(lines, ovn.Show(device, "mtu_request")...)),
		Edits: []ovn.Edit{
			ovn.Link(&root, &root.Bridges, bridge.UUID), ovn.Insert(&bridge),
			ovn.Insert(&vs.Port{UUID: "port", Name: t.Name, Interfaces: []string{"device"}}), ovn.Insert(&device),
		},
	}
}

// change makes the bridge match the arguments. Other keys remain: the daemons store
// their own keys there.
func (t *Task) change(rows vs.Rows, bridge vs.Bridge) ovn.Change {
	want := bridge
	if t.DatapathType != "" && datapath(bridge.DatapathType) != t.DatapathType {
		want.DatapathType = t.DatapathType
	}
	if t.FailMode != "" {
		want.FailMode = &t.FailMode
	}
	want.OtherConfig = ovn.Merged(bridge.OtherConfig, t.otherConfig())
	want.ExternalIDs = ovn.Merged(bridge.ExternalIDs, t.ExternalIDs)
	var edits []ovn.Edit
	edit, lines := ovn.Compare(bridge, want, "datapath_type", "fail_mode", "other_config", "external_ids")
	if edit != nil {
		edits = append(edits, edit)
	}
	if device, found := rows.Interface(t.Name); found && t.MTU != 0 {
		resized := device
		resized.MTURequest = &t.MTU
		if edit, more := ovn.Compare(device, resized, "mtu_request"); edit != nil {
			edits, lines = append(edits, edit), append(lines, more...)
		}
	}
	return ovn.Change{Text: ovn.Lines("change bridge "+t.Name, lines), Edits: edits}
}

// adopt decides about the bridge that ovn-controller has made by itself, always
// with the kernel's datapath: its datapath type can be changed, as ovn-controller
// would do after a change of its settings, and the former type is recorded.
func (t *Task) adopt(rows vs.Rows, bridge vs.Bridge, owner string) (ovn.Change, error) {
	have := bridge
	if t.DatapathType != "" {
		have.DatapathType = t.DatapathType
	}
	if change := t.change(rows, have); !change.Empty() {
		return ovn.Share("bridge "+t.Name, &bridge, &bridge.ExternalIDs, owner, change)
	}
	entries, change, err := ovn.Settle(bridge.ExternalIDs, ovn.Setting{
		Name: vswitch.DatapathSetting, Have: datapath(bridge.DatapathType), Want: datapath(have.DatapathType)}, owner)
	if err != nil || !change && entries == nil {
		return ovn.Change{}, err
	}
	want := have
	want.ExternalIDs = ovn.Merged(bridge.ExternalIDs, entries)
	return ovn.Correct("change bridge "+t.Name, bridge, want, "datapath_type", "external_ids"), nil
}

func (t *Task) absent(rows vs.Rows, owner string) (ovn.Change, error) {
	bridge, found := rows.Bridge(t.Name)
	if !found {
		return ovn.Change{}, nil
	}
	switch ovn.StandingOf(bridge.ExternalIDs, owner) {
	case ovn.Sole, ovn.Joined:
		return vswitch.DropBridge(rows, bridge, owner), nil
	}
	if release := vswitch.ReleaseBridge(bridge, owner); !release.Empty() {
		return release, nil
	}
	return ovn.Change{}, ovn.Foreign("bridge "+t.Name, bridge.ExternalIDs, owner, "ovs-vsctl del-br "+t.Name)
}

func (t *Task) otherConfig() map[string]string {
	if t.MAC == "" {
		return t.OtherConfig
	}
	return ovn.Merged(t.OtherConfig, map[string]string{macKey: t.MAC})
}

// datapath is a bridge's datapath type by its full name.
func datapath(name string) string {
	if name == "" {
		return "system"
	}
	return name
}

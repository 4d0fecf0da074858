package ovsbridge

import (
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
)

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

// Package vswitch decides a cluster's changes to the rows of a host's Open vSwitch
// database: its ports, its share in bridges, and the settings of ovn-controller.
// Modules and their sweep use the same decisions.
package vswitch

import (
	"slices"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
)

// IntegrationBridge is the bridge that ovn-controller makes by itself as soon as
// it starts.
const IntegrationBridge = "br-int"

// DatapathSetting names a bridge's datapath type in the records.
const DatapathSetting = "datapath_type"

// ovnPorts are the keys in external_ids of ports that ovn-controller makes and
// removes by itself: tunnels, and patches to other bridges.
var ovnPorts = []string{"ovn-chassis-id", "ovn-localnet-port", "ovn-l2gateway-port", "ovn-l3gateway-port", "ovn-logical-patch-port"}

// DropBridge returns the change that removes a cluster's claim to a bridge, and the bridge
// if no other cluster shares it. A bridge with ports of other owners remains.
func DropBridge(rows vs.Rows, bridge vs.Bridge, owner string) ovn.Change {
	if left, last := ovn.Leave("bridge "+bridge.Name, &bridge, &bridge.ExternalIDs, owner); !last {
		return left
	}
	root := rows.Root()
	return ovn.Change{
		Text:    "delete bridge " + bridge.Name,
		Edits:   []ovn.Edit{ovn.Unlink(&root, &root.Bridges, bridge.UUID)},
		Blocked: ovn.Blocked("bridge "+bridge.Name, owner, foreignPorts(rows, bridge, owner), "ovs-vsctl del-port"),
	}
}

// foreignPorts names the live ports of a bridge that are neither the owner's nor
// made by Open vSwitch or OVN themselves.
func foreignPorts(rows vs.Rows, bridge vs.Bridge, owner string) []string {
	var names []string
	for _, p := range rows.PortsOf(bridge) {
		if p.Name != bridge.Name && !ovn.IsOwned(p.ExternalIDs, owner) && !madeByOVN(p) && !dead(rows, p) {
			names = append(names, p.Name)
		}
	}
	return names
}

func madeByOVN(p vs.Port) bool {
	return slices.ContainsFunc(ovnPorts, func(key string) bool {
		_, is := p.ExternalIDs[key]
		return is
	})
}

// dead reports whether the port's devices are gone, as those of a killed guest.
func dead(rows vs.Rows, p vs.Port) bool {
	for _, i := range rows.Interfaces {
		if slices.Contains(p.Interfaces, i.UUID) && i.Error == nil && (i.OFPort == nil || *i.OFPort >= 0) {
			return false
		}
	}
	return true
}

// ReleaseBridge returns the change that gives up a cluster's claim to the settings of a
// bridge that is not kinit's: if no other cluster uses them, their former values are
// restored.
func ReleaseBridge(bridge vs.Bridge, owner string) ovn.Change {
	want := bridge
	want.ExternalIDs = ovn.Merged(bridge.ExternalIDs, nil)
	for _, r := range ovn.Releases(bridge.ExternalIDs, owner) {
		if r.Restore && r.Name == DatapathSetting {
			want.DatapathType = r.Prior
		}
		r.Record(want.ExternalIDs)
	}
	return ovn.Correct("restore bridge "+bridge.Name, bridge, want, "datapath_type", "external_ids")
}

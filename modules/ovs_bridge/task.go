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
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovs_bridge"})
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
	script := "#!/bin/sh\nset -eu\n"
	if t.managesDevice() {
		script += link.Script(t.device(false))
	}
	return Outputs{Name: t.Name, BootScript: script}, ctx.Err()
}

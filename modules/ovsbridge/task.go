// Package ovsbridge brings about Open vSwitch bridges: module ovs_bridge.
//
// A bridge belongs to the host and may serve several clusters: each that made or
// shares it leaves a mark, and it goes with the last of them. A bridge that was
// there before kinit is used as it is and never claimed.
package ovsbridge

import (
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
)

// Kind is module ovs_bridge: an Open vSwitch bridge with its own device.
func Kind() module.Kind {
	return module.Kind{Name: "ovs_bridge", New: func() module.Task { return &Task{TxOffload: true, State: ovn.Present} }}
}

// Task is an Open vSwitch bridge with its own device. It may serve several clusters
// and goes with the last of them. One that was there before kinit is used as it is and
// never claimed.
//
// Outputs:
//   - name: the bridge
//   - boot_script: commands that bring the device's addresses back after a boot, for a
//     unit
//
// Errors:
//   - name is longer than 15 characters, or an address has no prefix length
//   - the bridge was there before kinit and its device differs: what it needs is told
//   - Open vSwitch does not make the bridge; its error is told
type Task struct {
	// Name is the bridge's name and that of its own device, at most 15 characters.
	Name string `hcl:"name"`
	// DatapathType is "system" (the kernel's) or "netdev" (userspace). Empty leaves
	// it, which makes a new bridge a system one.
	DatapathType string `hcl:"datapath_type,optional"`
	// FailMode is "standalone" (a plain switch) or "secure" (only what flows allow).
	// Empty leaves it, which makes a new bridge a plain switch.
	FailMode string `hcl:"fail_mode,optional"`
	// MAC is the Ethernet address of the bridge's own device, in lower case. Empty
	// lets Open vSwitch choose.
	MAC string `hcl:"mac,optional"`
	// MTU is that of the bridge's own device, in bytes. 0 leaves it to Open vSwitch.
	MTU int `hcl:"mtu,optional"`
	// Addresses are set on the bridge's own device, with prefix length, such as
	// "172.16.0.254/24"; the device is then brought up, and on a bridge that only
	// this cluster owns other addresses are removed. They are gone after a restart
	// of the host: run the output boot_script in a unit after openvswitch-switch.
	Addresses []string `hcl:"addresses,optional"`
	// TxOffload, when false, has transmit checksums of the device computed in
	// software (ethtool -K NAME tx off), which the userspace datapath needs. Default
	// true leaves them as they are.
	TxOffload bool `hcl:"tx_offload,optional"`
	// OtherConfig are keys of the bridge's other_config to set; others stay.
	OtherConfig map[string]string `hcl:"other_config,optional"`
	// ExternalIDs are keys of the bridge's external_ids to set; others stay.
	ExternalIDs map[string]string `hcl:"external_ids,optional"`
	// State is "present" (default) or "absent".
	State string `hcl:"state,optional"`
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := link.CheckName("name", t.Name); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "system", "netdev"}, t.DatapathType) {
		return fmt.Errorf("datapath_type is %q, want \"system\" or \"netdev\"", t.DatapathType)
	}
	if !slices.Contains([]string{"", "standalone", "secure"}, t.FailMode) {
		return fmt.Errorf("fail_mode is %q, want \"standalone\" or \"secure\"", t.FailMode)
	}
	if t.MTU != 0 && (t.MTU < 68 || t.MTU > 65535) {
		return fmt.Errorf("mtu is %d, want 68 to 65535 bytes", t.MTU)
	}
	if err := link.CheckMAC("mac", t.MAC); err != nil {
		return err
	}
	if err := link.CheckAddresses("addresses", t.Addresses); err != nil {
		return err
	}
	return ovn.CheckState(t.State)
}

// Plan compares the bridge with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.State == ovn.Absent {
		return ovn.PlanAbsent(ctx, h, ovn.Switch(), func(rows vs.Rows) (ovn.Change, error) {
			return t.absent(rows, claim.Signature(h))
		})
	}
	stands := ovn.Sole // a bridge that is not there yet will be
	steps, err := ovn.Plan(ctx, h, ovn.Switch(), func(rows vs.Rows) (ovn.Change, error) {
		if bridge, found := rows.Bridge(t.Name); found {
			stands = ovn.StandingOf(bridge.ExternalIDs, claim.Signature(h))
		}
		return t.present(rows, claim.Signature(h))
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

// managesDevice tells whether anything is asked of the bridge's device that the
// database cannot say.
func (t *Task) managesDevice() bool { return len(t.Addresses) > 0 || !t.TxOffload }

// device is the bridge's own device. On a bridge that is not this cluster's
// alone, addresses are only added.
func (t *Task) device(ours bool) link.Want {
	return link.Want{Device: t.Name, Addresses: t.Addresses, TxOff: !t.TxOffload, Only: ours && len(t.Addresses) > 0}
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "boot_script": cty.String}
}

// Outputs returns the bridge's name and the script for a unit that runs when the
// host starts.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	script := "#!/bin/sh\nset -eu\n"
	if t.managesDevice() {
		script += link.Script(t.device(false))
	}
	return map[string]cty.Value{"name": cty.StringVal(t.Name), "boot_script": cty.StringVal(script)}, ctx.Err()
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

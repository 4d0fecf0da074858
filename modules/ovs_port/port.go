// Package ovsport manages ports of Open vSwitch bridges: module ovs_port for a host's own
// ports, and module ovs_veth for a port inside a container's network namespace.
package ovsport

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vswitch"
)

// ifaceID is the key by which OVN finds the logical port of an interface.
const ifaceID = "iface-id"

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovs_port", Signs: true})
}

// Task is a port of an Open vSwitch bridge: a device that Open vSwitch makes, or an existing
// one.
//
// Errors:
//   - name is longer than 15 characters, or an address has no prefix length
//   - the bridge does not exist, or the device where type is ""; or a port with the name is not the cluster's
//   - Open vSwitch does not make the device; the error has its message
type Task struct {
	// Bridge is the bridge that gets the port. Needed unless state is "absent".
	Bridge string `hcl:"bridge,optional"`
	// Name is the name of the port and its device, at most 15 characters.
	Name string `hcl:"name"`
	// Type is "internal" for a device that Open vSwitch makes, or empty for an existing
	// device, such as a network card.
	Type string `hcl:"type,optional" enum:"internal"`
	// MAC is the device's Ethernet address, in lower case. Empty leaves it unchanged.
	MAC string `hcl:"mac,optional"`
	// MTU is the device's MTU in bytes. 0 leaves it unchanged.
	MTU int `hcl:"mtu,optional"`
	// IfaceID is the name of the port's OVN logical switch port.
	IfaceID string `hcl:"iface_id,optional"`
	// ExternalIDs are keys to set in the interface's external_ids; others remain.
	ExternalIDs map[string]string `hcl:"external_ids,optional"`
	// Addresses are set on the device, with prefix length, such as "10.0.0.253/24";
	// the device is then brought up, and an internal device loses other addresses.
	// They are lost at a restart of the host: run the output boot_script in a unit
	// after openvswitch-switch.
	Addresses []string `hcl:"addresses,optional"`
	// Routes are set on the device: gateway by destination, such as
	// { "10.1.0.0/16" = "10.0.0.254" }. They are also lost at a restart.
	Routes map[string]string `hcl:"routes,optional"`
	// TxOffload, when false, computes transmit checksums in software (ethtool -K NAME tx
	// off), which the userspace datapath needs. True leaves them unchanged.
	TxOffload bool `hcl:"tx_offload,optional" default:"true"`
	module.Presence
}

func (t *Task) Validate() error {
	if err := link.CheckName("name", t.Name); err != nil {
		return err
	}
	if !t.Absent() && t.Bridge == "" {
		return fmt.Errorf("bridge is empty, want the bridge that gets port %s", t.Name)
	}
	return checkDevice(t.MAC, t.MTU, t.Addresses, t.Routes)
}

// checkDevice finds mistakes in the device arguments of both modules.
func checkDevice(mac string, mtu int, addresses []string, routes map[string]string) error {
	return cmp.Or(link.CheckMTU("mtu", mtu), link.CheckMAC("mac", mac),
		link.CheckAddresses("addresses", addresses), link.CheckRoutes("routes", routes))
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.planAbsent(ctx, h)
	}
	steps, err := ovn.Plan(ctx, h, ovn.Switch(), t.row().Change)
	if err != nil || !t.managesDevice() {
		return steps, err
	}
	more, err := link.Plan(ctx, h, t.device())
	return append(steps, more...), err
}

// planAbsent removes the port. It first removes the addresses of a device that remains.
func (t *Task) planAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	var before []module.Step
	steps, err := ovn.PlanAbsent(ctx, h, ovn.Switch(), vswitch.DropPort(t.Name))
	if err == nil && len(steps) > 0 && t.Type == "" {
		before, err = link.PlanRemoval(ctx, h, t.Name, t.Addresses)
	}
	return append(before, steps...), err
}

// row is the port in the database. Open vSwitch sets up only devices it makes.
func (t *Task) row() vswitch.Port {
	p := vswitch.Port{Bridge: t.Bridge, Name: t.Name, Type: t.Type, IDs: interfaceIDs(t.IfaceID, t.MAC, t.ExternalIDs)}
	if t.Type == "internal" {
		p.MAC, p.MTU = t.MAC, t.MTU
	} else if len(t.Addresses) > 0 {
		p.Marks = map[string]string{vswitch.AddressesKey: strings.Join(t.Addresses, " ")}
	}
	return p
}

// interfaceIDs adds the keys for OVN and for people to an interface's external_ids.
func interfaceIDs(id, mac string, more map[string]string) map[string]string {
	ids := ovn.Merged(more, nil)
	if id == "" {
		return ids
	}
	ids[ifaceID] = id
	if mac != "" {
		ids["attached-mac"] = mac
	}
	return ids
}

// managesDevice reports whether an argument concerns settings of the device that are not
// in the database.
func (t *Task) managesDevice() bool {
	return len(t.Addresses)+len(t.Routes) > 0 || !t.TxOffload || t.Type == ""
}

func (t *Task) device() link.Want {
	want := link.Want{Device: t.Name, Addresses: t.Addresses, Routes: t.Routes, TxOff: !t.TxOffload}
	if t.Type == "internal" {
		want.Only = len(t.Addresses) > 0
		return want
	}
	want.MAC, want.MTU = t.MAC, t.MTU
	return want
}

type Outputs struct {
	Name string `cty:"name"` // the port
	// commands that restore the device's addresses after a boot, for a
	// unit
	BootScript string `cty:"boot_script"`
}

// Outputs returns the port's name and the script for a unit that runs at boot.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	return Outputs{Name: t.Name, BootScript: link.BootScript(t.managesDevice(), t.device())}, ctx.Err()
}

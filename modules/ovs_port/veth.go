package ovsport

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
	"kinit/modules/internal/ownership"
)

func VethKind() module.Kind {
	return module.With[Veth, VethOutputs](module.Kind{Name: "ovs_veth", Signs: true})
}

// Veth is a device in a network namespace whose other end is a port of an Open vSwitch
// bridge. The namespace can be that of a podman pod.
//
// Errors:
//   - netns or bridge is empty, or the namespace does not exist
//   - a device with the name exists and the cluster does not own it
type Veth struct {
	// Name is the end on the host, the port of the bridge; at most 15 characters.
	Name string `hcl:"name"`
	// Peer is the device's name inside the namespace. Needed unless state is "absent".
	Peer string `hcl:"peer,optional"`
	// Netns is the namespace: a path such as /run/netns/x, or the number of a process
	// in it. A restarted pod has a new one; the pair is then recreated. Needed unless state
	// is "absent".
	Netns string `hcl:"netns,optional"`
	// Bridge is the bridge that gets the port. Needed unless state is "absent".
	Bridge string `hcl:"bridge,optional"`
	// IfaceID is the name of the port's OVN logical switch port.
	IfaceID string `hcl:"iface_id,optional"`
	// MAC is the Ethernet address of the device inside, in lower case. Empty: the kernel
	// chooses it.
	MAC string `hcl:"mac,optional"`
	// MTU is the MTU of both ends, in bytes. 0 leaves it unchanged.
	MTU int `hcl:"mtu,optional"`
	// Addresses are set on the device inside, with prefix length, such as
	// "10.0.0.253/24"; others are removed.
	Addresses []string `hcl:"addresses,optional"`
	// Floating are addresses that the device inside may have besides: another program sets
	// and removes them, as one that moves an address from host to host.
	Floating []string `hcl:"floating,optional"`
	// Routes are set inside: gateway by destination, such as { default = "10.0.0.254" }.
	Routes map[string]string `hcl:"routes,optional"`
	// ExternalIDs are keys to set in the interface's external_ids; others remain.
	ExternalIDs map[string]string `hcl:"external_ids,optional"`
	// TxOffload, when false, computes transmit checksums of both ends in software (ethtool
	// -K NAME tx off), which the userspace datapath needs. True leaves them unchanged.
	TxOffload bool `hcl:"tx_offload,optional" default:"true"`
	module.Presence
}

func (t *Veth) Validate() error {
	if err := link.CheckName("name", t.Name); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	if err := link.CheckName("peer", t.Peer); err != nil {
		return err
	}
	if t.Netns == "" || t.Bridge == "" {
		return errors.New("netns or bridge is empty, want the namespace that gets the device and the bridge that gets the port")
	}
	if err := link.CheckAddresses("floating", t.Floating); err != nil {
		return err
	}
	return checkDevice(t.MAC, t.MTU, t.Addresses, t.Routes)
}

func (t *Veth) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.planAbsent(ctx, h)
	}
	port, mine, err := t.planPort(ctx, h)
	if err != nil {
		return nil, err
	}
	have, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if have.outside.Exists && !mine && have.outside.Alias != vswitch.Alias(ownership.Signature(h)) {
		return nil, fmt.Errorf("device %s exists and is not owned by cluster %s%s; use another name, or remove it with \"ip link del %s\" if nothing needs it",
			t.Name, h.Owner(), ownership.Signed(h, vswitch.Owner(have.outside.Alias)), t.Name)
	}
	var steps []module.Step
	if !have.pair() {
		text := fmt.Sprintf("create veth %s with %s in %s", t.Name, t.Peer, t.netns())
		steps = append(steps, module.NewStep(text, t.makePair))
		have = pair{}
		if len(port) == 0 {
			// The row is removed with the old pair, so it is created again even if it is right.
			port = module.OneStep("plug veth "+t.Name+" into bridge "+t.Bridge, t.plug)
		}
	}
	steps = append(steps, port...)
	steps = append(steps, link.Steps(t.outside(), have.outside)...)
	return append(steps, link.Steps(t.inside(), have.inside)...), nil
}

// planPort plans the port's row, and reports whether this owner has one.
func (t *Veth) planPort(ctx context.Context, h module.Host) ([]module.Step, bool, error) {
	mine := false
	steps, err := ovn.Plan(ctx, h, ovn.Switch(), func(rows vs.Rows, owner string) (ovn.Change, error) {
		_, mine = rows.Port(t.Name) // Change refuses a port of somebody else
		return t.row().Change(rows, owner)
	})
	return steps, mine, err
}

// plug creates or corrects the port's row.
func (t *Veth) plug(ctx context.Context, h module.Host) error {
	return ovn.Do(ctx, h, ovn.Switch(), t.row().Change)
}

func (t *Veth) row() vswitch.Port {
	return vswitch.Port{
		Bridge: t.Bridge, Name: t.Name, IDs: interfaceIDs(t.IfaceID, t.MAC, t.ExternalIDs),
		Marks: map[string]string{vswitch.DeviceKey: vswitch.VethDevice},
	}
}

func (t *Veth) planAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	steps, err := ovn.PlanAbsent(ctx, h, ovn.Switch(), vswitch.DropPort(t.Name))
	if err != nil {
		return nil, err
	}
	owner := ownership.Signature(h)
	have, err := link.Read(ctx, h, link.Want{Device: t.Name})
	if err != nil {
		return nil, err
	}
	if have.Exists && (len(steps) > 0 || have.Alias == vswitch.Alias(owner)) {
		return append(steps, link.Deletion(t.Name)), nil
	}
	if have, err = link.Read(ctx, h, link.Want{Device: t.unmarked(owner)}); have.Exists {
		steps = append(steps, link.Deletion(t.unmarked(owner)))
	}
	return steps, err
}

// netns is the namespace as a path.
func (t *Veth) netns() string {
	if _, err := strconv.Atoi(t.Netns); err == nil {
		return "/proc/" + t.Netns + "/ns/net"
	}
	return t.Netns
}

// outside is the end on the host.
func (t *Veth) outside() link.Want {
	return link.Want{Device: t.Name, MTU: t.MTU, TxOff: !t.TxOffload}
}

// inside is the end in the namespace.
func (t *Veth) inside() link.Want {
	return link.Want{
		Device: t.Peer, Netns: t.netns(), Addresses: t.Addresses, Routes: t.Routes,
		MTU: t.MTU, MAC: t.MAC, TxOff: !t.TxOffload, Only: true, Floating: t.Floating,
	}
}

type VethOutputs struct {
	Name string `cty:"name"` // the end on the host
	Peer string `cty:"peer"` // the device inside
	// commands that attach a namespace, whose path is their argument, after
	// it was recreated
	BootScript string `cty:"boot_script"`
}

// Outputs returns both names and the script that attaches a namespace, whose path
// is its argument, after the pod or the host was started again.
func (t *Veth) Outputs(ctx context.Context, h module.Host) (VethOutputs, error) {
	return VethOutputs{
		Name: t.Name, Peer: t.Peer, BootScript: t.script(ownership.Signature(h)),
	}, ctx.Err()
}

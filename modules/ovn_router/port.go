package ovnrouter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
)

// topPriority is the priority of the first gateway chassis; each further one has one less.
// OVN allows 0 to 32767, and the live chassis with the highest priority forwards.
const topPriority = 100

func PortKind() module.Kind {
	return module.With[Port, PortOutputs](module.Kind{Name: "ovn_router_port", Signs: true})
}

// Port is a port of a logical router with its peer on a logical switch. It runs on the
// host of ovn-central.
//
// Errors:
//   - the router or the switch does not exist
//   - the port belongs to another cluster
//   - the host has no OVN northbound database, or it does not answer
type Port struct {
	// Router is the logical router that gets the port.
	Router string `hcl:"router"`
	// Switch is the logical switch that the port connects to. The switch gets a port named
	// "SWITCH-to-ROUTER".
	Switch string `hcl:"switch"`
	// Name is the port's name. Default is "ROUTER-on-SWITCH".
	Name string `hcl:"name,optional"`
	// MAC is the router's Ethernet address on the switch, in lower case. Needed unless
	// state is "absent".
	MAC string `hcl:"mac,optional"`
	// Networks are the router's addresses on the switch with prefix length, such as
	// "10.0.0.254/24". Needed unless state is "absent".
	Networks []string `hcl:"networks,optional"`
	// GatewayChassis are the chassis that can carry the traffic through this port, the
	// preferred one first: the next one takes over when one fails. Use the ids that
	// ovn_chassis returns. Empty makes a distributed port.
	GatewayChassis []string `hcl:"gateway_chassis,optional"`
	// GatewayMTU is the MTU beyond a gateway port, in bytes: senders of larger packets
	// are notified. 0 disables that.
	GatewayMTU int `hcl:"gateway_mtu,optional"`
	// Options are the port's further options by OVN's names.
	Options map[string]string `hcl:"options,optional"`
	module.Presence
}

func (t *Port) Validate() error {
	if t.Router == "" || t.Switch == "" {
		return errors.New("router or switch is empty, want the names of both")
	}
	if t.Absent() {
		return nil
	}
	if t.MAC == "" || len(t.Networks) == 0 {
		return errors.New("mac or networks is empty, want the router's addresses on the switch")
	}
	if err := cmp.Or(link.CheckMAC("mac", t.MAC), link.CheckAddresses("networks", t.Networks)); err != nil {
		return err
	}
	if t.name() == t.peer() {
		return fmt.Errorf("name is %q as that of the port on the switch, want another one", t.name())
	}
	if len(t.GatewayChassis) > topPriority {
		return fmt.Errorf("gateway_chassis has %d chassis, want at most %d", len(t.GatewayChassis), topPriority)
	}
	return cmp.Or(ovn.CheckChassis("gateway_chassis", t.GatewayChassis), link.CheckMTU("gateway_mtu", t.GatewayMTU))
}

func (t *Port) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

// name is the name of the port and of its chassis group. OVN binds router and
// switch ports by name in one table, so it differs from the peer's name even if the
// switch and the router have the same name.
func (t *Port) name() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Router + "-on-" + t.Switch
}

// peer is the name of the port on the switch.
func (t *Port) peer() string { return t.Switch + "-to-" + t.Router }

func (t *Port) options() map[string]string {
	all := map[string]string{}
	if t.GatewayMTU != 0 {
		all["gateway_mtu"] = strconv.Itoa(t.GatewayMTU)
	}
	maps.Copy(all, t.Options)
	return all
}

// peerOptions returns the options that lead to the router. On a gateway port the chassis
// that takes over announces the router's translated addresses, so that outside hosts find it.
func (t *Port) peerOptions() map[string]string {
	options := map[string]string{"router-port": t.name()}
	if len(t.GatewayChassis) > 0 {
		options["nat-addresses"] = "router"
	}
	return options
}

type PortOutputs struct {
	Name     string   `cty:"name"`     // the port
	MAC      string   `cty:"mac"`      // its Ethernet address
	Networks []string `cty:"networks"` // its addresses with prefix length
}

func (t *Port) Outputs(ctx context.Context, h module.Host) (PortOutputs, error) {
	return PortOutputs{Name: t.name(), MAC: t.MAC, Networks: t.Networks}, ctx.Err()
}

// Package ovnport manages ports of OVN's logical switches: module ovn_port.
package ovnport

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/link"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_port"})
}

// Task is a port of a logical switch of OVN. It runs on the host of ovn-central.
//
// Errors:
//   - the switch or the DHCP options do not exist
//   - the port belongs to another cluster
//   - ip, dhcp or allowed_ips is given without mac; network or tag without type
//     "localnet"
//   - the host has no OVN northbound database, or it does not answer
type Task struct {
	// Name is the port's name, unique in OVN: the iface-id of the interface on the
	// hypervisor.
	Name string `hcl:"name" nonempty:"want the port's name"`
	// Switch is the logical switch that gets the port. Needed unless state is
	// "absent".
	Switch string `hcl:"switch,optional"`
	// Type is "" (default) for a guest or a host, "localnet" for a connection to a physical
	// network, or another type of OVN, with its options.
	Type string `hcl:"type,optional"`
	// MAC is the Ethernet address behind the port, in lower case.
	MAC string `hcl:"mac,optional"`
	// IP is the address behind the port. OVN's DHCP assigns it to the guest.
	IP string `hcl:"ip,optional"`
	// PortSecurity, when true, accepts only frames with this MAC and IP. It applies to ports
	// with a MAC.
	PortSecurity bool `hcl:"port_security,optional" default:"true"`
	// AllowedIPs are further source addresses or networks of the port, such
	// as the pods of a node whose routes need no tunnel.
	AllowedIPs []string `hcl:"allowed_ips,optional"`
	// DHCP is the name of the ovn_dhcp whose options the port's guest gets. Empty: none.
	DHCP string `hcl:"dhcp,optional"`
	// Network is the physical network of a port of type "localnet", which chassis map to a
	// bridge.
	Network string `hcl:"network,optional"`
	// Tag is the VLAN of a port of type "localnet", 1 to 4095. 0 means none.
	Tag int `hcl:"tag,optional"`
	// Options are the port's further options by OVN's names.
	Options map[string]string `hcl:"options,optional"`
	// Shared lets several clusters use the port, such as the localnet port of a shared
	// switch. It is removed with the last of them.
	Shared bool `hcl:"shared,optional"`
	module.Presence
}

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	if t.Switch == "" {
		return fmt.Errorf("switch is empty, want the logical switch that gets port %s", t.Name)
	}
	if err := link.CheckMAC("mac", t.MAC); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(t.IP); t.IP != "" && err != nil {
		return fmt.Errorf("ip is %q, want an address without prefix length", t.IP)
	}
	if t.MAC == "" && (t.IP != "" || t.DHCP != "" || len(t.AllowedIPs) > 0) {
		return errors.New("mac is empty, want the Ethernet address that ip, dhcp and allowed_ips are for")
	}
	for _, allowed := range t.AllowedIPs {
		if !isAddressOrNetwork(allowed) {
			return fmt.Errorf("allowed_ips: %q is no address and no network", allowed)
		}
	}
	if t.Type == "localnet" && t.Network == "" && t.Options["network_name"] == "" {
		return errors.New("network is empty, want the physical network of a localnet port")
	}
	if t.Type != "localnet" && (t.Network != "" || t.Tag != 0) {
		return errors.New("network and tag are for ports of type \"localnet\"")
	}
	if t.Tag < 0 || t.Tag > 4095 {
		return fmt.Errorf("tag is %d, want 1 to 4095", t.Tag)
	}
	return nil
}

func isAddressOrNetwork(s string) bool {
	_, notAddress := netip.ParseAddr(s)
	_, notNetwork := netip.ParsePrefix(s)
	return notAddress == nil || notNetwork == nil
}

// addresses returns the addresses behind the port in OVN's notation.
func (t *Task) addresses() []string {
	switch {
	case t.MAC != "":
		return []string{strings.TrimSpace(t.MAC + " " + t.IP)}
	case t.Type == "router":
		return []string{"router"}
	}
	return []string{"unknown"}
}

// security returns the permitted source addresses. None permits all.
func (t *Task) security() []string {
	if !t.PortSecurity || t.MAC == "" {
		return nil
	}
	words := []string{t.MAC}
	if t.IP != "" {
		words = append(words, t.IP)
	}
	return []string{strings.Join(slices.Concat(words, t.AllowedIPs), " ")}
}

func (t *Task) options() map[string]string {
	all := map[string]string{}
	if t.Network != "" {
		all["network_name"] = t.Network
	}
	maps.Copy(all, t.Options)
	return all
}

type Outputs struct {
	ID  string `cty:"id"`  // the iface-id for an interface on a hypervisor
	MAC string `cty:"mac"` // the Ethernet address behind the port
	IP  string `cty:"ip"`  // the address behind the port
}

// Outputs returns the values for an interface on a hypervisor: the id is its iface-id.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	return Outputs{
		ID: t.Name, MAC: t.MAC, IP: t.IP,
	}, ctx.Err()
}

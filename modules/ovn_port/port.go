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
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_port", Signs: true})
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

// managed are the columns that the arguments set.
var managed = []string{"type", "options", "addresses", "port_security", "tag_request", "dhcpv4_options"}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

func (t *Task) present(rows nb.Rows, owner string) (ovn.Change, error) {
	want, blocked := t.row(rows, owner)
	on, missing, err := ovn.FindSwitch(rows, t.Switch, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	if missing != nil {
		blocked = fmt.Errorf("port %s: %w", t.Name, missing)
	}
	have, found := rows.SwitchPort(t.Name)
	switch {
	case !found:
		return t.create(on, want, blocked), nil
	case t.Shared && owner != "":
		return t.share(have, want, owner, blocked)
	case !ovn.IsOwned(have.ExternalIDs, owner):
		return ovn.Change{}, ovn.Foreign("port "+t.Name, have.ExternalIDs, owner, "ovn-nbctl lsp-del "+t.Name)
	}
	if home, _ := rows.SwitchOf(have.UUID); home.Name != t.Switch {
		change := t.create(on, want, blocked)
		change.Edits = append([]ovn.Edit{ovn.Unlink(&home, &home.Ports, have.UUID)}, change.Edits...)
		return change, nil
	}
	return t.change(have, want, blocked), nil
}

// row returns the wanted port. blocked is an error if its DHCP options are missing.
func (t *Task) row(rows nb.Rows, owner string) (row nb.SwitchPort, blocked error) {
	row = nb.SwitchPort{
		UUID: "port", Name: t.Name, Type: t.Type, Options: t.options(),
		Addresses: t.addresses(), PortSecurity: t.security(), TagRequest: ovn.Optional(t.Tag), ExternalIDs: t.marks(owner),
	}
	if t.DHCP == "" {
		return row, nil
	}
	options, found := ovn.FindDHCP(rows, t.DHCP, owner)
	if !found {
		return row, fmt.Errorf("port %s: there are no DHCP options named %s", t.Name, t.DHCP)
	}
	row.DHCPv4 = &options.UUID
	return row, nil
}

func (t *Task) marks(owner string) map[string]string {
	if t.Shared {
		return ovn.Shared(owner, nil)
	}
	return ovn.Owned(owner, nil)
}

func (t *Task) create(on nb.Switch, want nb.SwitchPort, blocked error) ovn.Change {
	text := fmt.Sprintf("create port %s on logical switch %s", t.Name, t.Switch)
	lines := ovn.Show(want, "type", "options", "addresses", "port_security", "tag_request")
	if t.DHCP != "" {
		lines = append(lines, "dhcp: "+t.DHCP)
	}
	return ovn.Change{
		Text:    ovn.Lines(text, lines),
		Edits:   []ovn.Edit{ovn.Insert(&want), ovn.Link(&on, &on.Ports, want.UUID)},
		Blocked: blocked,
	}
}

func (t *Task) change(have, want nb.SwitchPort, blocked error) ovn.Change {
	if blocked != nil {
		_, lines := ovn.Compare(have, want, managed...)
		return ovn.Change{Text: ovn.Lines("change port "+t.Name, append(lines, "dhcp: "+t.DHCP)), Blocked: blocked}
	}
	return ovn.Correct("change port "+t.Name, have, want, managed...)
}

// share decides about an existing port that others can use too.
func (t *Task) share(have, want nb.SwitchPort, owner string, blocked error) (ovn.Change, error) {
	if len(ovn.Sharers(have.ExternalIDs)) == 0 {
		return ovn.Change{}, ovn.Foreign("port "+t.Name, have.ExternalIDs, owner, "ovn-nbctl lsp-del "+t.Name)
	}
	return ovn.Share("port "+t.Name, &have, &have.ExternalIDs, owner, t.change(have, want, blocked))
}

func (t *Task) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	have, found := rows.SwitchPort(t.Name)
	if !found {
		return ovn.Change{}, nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) && !ovn.Shares(have.ExternalIDs, owner) {
		return ovn.Change{}, ovn.Foreign("port "+t.Name, have.ExternalIDs, owner, "ovn-nbctl lsp-del "+t.Name)
	}
	return ovn.DropSwitchPort(rows, have, owner), nil
}

package vswitch

import (
	"fmt"

	"strings"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
)

// Keys in a port's external_ids by which clean-up finds the parts of the port besides its row.
const (
	// DeviceKey is VethDevice if the port's device is removed with it.
	DeviceKey = "kinit-device"
	// AddressesKey has the addresses, separated by blanks, that were added to a device
	// that remains when the port is removed.
	AddressesKey = "kinit-addresses"

	VethDevice = "veth"
)

// Alias is the mark of a device that has no row: the alias that ip shows.
func Alias(owner string) string {
	if owner == "" {
		return ""
	}
	return ovn.OwnerKey + "=" + owner
}

// Owner returns the owner in an alias, or "" if it has none.
func Owner(alias string) string {
	owner, is := strings.CutPrefix(alias, ovn.OwnerKey+"=")
	if !is {
		return ""
	}
	return owner
}

// Port is the wanted port of a bridge.
type Port struct {
	Bridge string
	Name   string
	Type   string            // of the interface: "internal", or "" for an existing device
	MAC    string            // empty: unchanged
	MTU    int               // 0: unchanged
	IDs    map[string]string // keys of the interface's external_ids to set
	Marks  map[string]string // keys of the port's external_ids beside the owner's
}

// Change decides how to create or correct the port. Keys that it does not name
// remain: ovn-controller stores its own in external_ids.
func (p Port) Change(rows vs.Rows, owner string) (ovn.Change, error) {
	port, found := rows.Port(p.Name)
	if !found {
		return p.create(rows, owner, "create"), nil
	}
	if !ovn.IsOwned(port.ExternalIDs, owner) {
		return ovn.Change{}, ovn.Foreign("port "+p.Name, port.ExternalIDs, owner, "ovs-vsctl del-port "+p.Name)
	}
	device, _ := rows.Interface(p.Name)
	on, _ := rows.BridgeOf(port)
	switch {
	case on.Name != p.Bridge:
		return p.replace(rows, on, port, owner, "move from bridge "+on.Name), nil
	case device.Error != nil:
		return p.replace(rows, on, port, owner, *device.Error), nil
	case device.Type != p.Type:
		return p.replace(rows, on, port, owner, fmt.Sprintf("type: %q -> %q", device.Type, p.Type)), nil
	}
	return p.update(port, device), nil
}

func (p Port) create(rows vs.Rows, owner, verb string) ovn.Change {
	text := fmt.Sprintf("%s port %s on bridge %s", verb, p.Name, p.Bridge)
	device := vs.Interface{UUID: "device", Name: p.Name, Type: p.Type, ExternalIDs: p.IDs}
	device = p.onto(device)
	bridge, found := rows.Bridge(p.Bridge)
	if !found {
		return ovn.Change{Text: text, Blocked: fmt.Errorf("port %s: there is no bridge %s", p.Name, p.Bridge)}
	}
	port := vs.Port{UUID: "port", Name: p.Name, Interfaces: []string{device.UUID}, ExternalIDs: ovn.Owned(owner, p.Marks)}
	return ovn.Change{
		Text:  ovn.Lines(text, ovn.Show(device, "type", "mac", "mtu_request", "external_ids")),
		Edits: []ovn.Edit{ovn.Link(&bridge, &bridge.Ports, port.UUID), ovn.Insert(&port), ovn.Insert(&device)},
	}
}

// replace removes the port and makes it again in the same transaction.
func (p Port) replace(rows vs.Rows, on vs.Bridge, port vs.Port, owner, why string) ovn.Change {
	change := p.create(rows, owner, "replace")
	change.Text = ovn.Lines(change.Text, []string{why})
	change.Edits = append([]ovn.Edit{ovn.Unlink(&on, &on.Ports, port.UUID)}, change.Edits...)
	return change
}

func (p Port) update(port vs.Port, device vs.Interface) ovn.Change {
	marked, tuned := port, p.onto(device)
	marked.ExternalIDs = ovn.Merged(port.ExternalIDs, p.Marks)
	tuned.ExternalIDs = ovn.Merged(device.ExternalIDs, p.IDs)
	var change ovn.Change
	var lines []string
	if edit, more := ovn.Compare(port, marked, "external_ids"); edit != nil {
		change.Edits, lines = append(change.Edits, edit), append(lines, more...)
	}
	if edit, more := ovn.Compare(device, tuned, "mac", "mtu_request", "external_ids"); edit != nil {
		change.Edits, lines = append(change.Edits, edit), append(lines, more...)
	}
	change.Text = ovn.Lines("change port "+p.Name, lines)
	return change
}

// onto sets the requested values on a device's row.
func (p Port) onto(device vs.Interface) vs.Interface {
	if p.MAC != "" {
		device.MAC = &p.MAC
	}
	if p.MTU != 0 {
		device.MTURequest = &p.MTU
	}
	return device
}

// DropPort returns the decision that removes the owner's port, or nothing if there
// is none.
func DropPort(name string) ovn.Decision[vs.Rows] {
	return func(rows vs.Rows, owner string) (ovn.Change, error) {
		port, found := rows.Port(name)
		if !found {
			return ovn.Change{}, nil
		}
		if !ovn.IsOwned(port.ExternalIDs, owner) {
			return ovn.Change{}, ovn.Foreign("port "+name, port.ExternalIDs, owner, "ovs-vsctl del-port "+name)
		}
		bridge, _ := rows.BridgeOf(port)
		return ovn.Change{
			Text:  fmt.Sprintf("delete port %s of bridge %s", name, bridge.Name),
			Edits: []ovn.Edit{ovn.Unlink(&bridge, &bridge.Ports, port.UUID)},
		}, nil
	}
}

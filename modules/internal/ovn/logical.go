package ovn

import (
	"fmt"

	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/table"
)

// FindSwitch returns the logical switch with a name that the owner has or shares.
// Without such a switch it returns the error missing: an earlier task can still make it.
func FindSwitch(rows nb.Rows, name, owner string) (found nb.Switch, missing, err error) {
	all := rows.SwitchesNamed(name)
	if len(all) == 0 {
		return nb.Switch{}, fmt.Errorf("there is no logical switch %s", name), nil
	}
	if len(all) > 1 {
		return nb.Switch{}, nil, fmt.Errorf("there are %d logical switches named %s; give them different names", len(all), name)
	}
	if !Ours(all[0].ExternalIDs, owner) {
		return nb.Switch{}, nil, Foreign("logical switch "+name, all[0].ExternalIDs, owner, "ovn-nbctl ls-del "+name)
	}
	return all[0], nil, nil
}

// FindRouter is FindSwitch for a logical router, which is never shared.
func FindRouter(rows nb.Rows, name, owner string) (found nb.Router, missing, err error) {
	all := rows.RoutersNamed(name)
	if len(all) == 0 {
		return nb.Router{}, fmt.Errorf("there is no logical router %s", name), nil
	}
	if len(all) > 1 {
		return nb.Router{}, nil, fmt.Errorf("there are %d logical routers named %s; give them different names", len(all), name)
	}
	if !IsOwned(all[0].ExternalIDs, owner) {
		return nb.Router{}, nil, Foreign("logical router "+name, all[0].ExternalIDs, owner, "ovn-nbctl lr-del "+name)
	}
	return all[0], nil, nil
}

// FindDHCP returns the owner's DHCP options of a name.
func FindDHCP(rows nb.Rows, name, owner string) (nb.DHCP, bool) {
	return table.First(rows.DHCP, func(d nb.DHCP) bool {
		return d.ExternalIDs[NameKey] == name && IsOwned(d.ExternalIDs, owner)
	})
}

// DropSwitch returns the change that removes a switch with the owner's ports, or the owner's
// share in a shared one. A switch with ports of other owners remains.
func DropSwitch(rows nb.Rows, s nb.Switch, owner string) Change {
	if left, last := Leave("logical switch "+s.Name, &s, &s.ExternalIDs, owner); !last {
		return left
	}
	var ours int
	var foreign []string
	for _, p := range rows.PortsOf(s) {
		if Ours(p.ExternalIDs, owner) {
			ours++
			continue
		}
		foreign = append(foreign, p.Name)
	}
	return Change{
		Text:    fmt.Sprintf("delete logical switch %s with %d ports", s.Name, ours),
		Edits:   []Edit{Delete(&s)},
		Blocked: Blocked("logical switch "+s.Name, owner, foreign, "ovn-nbctl lsp-del"),
	}
}

// DropSwitchPort returns the change that removes a port of a switch, or the owner's share in
// a shared one.
func DropSwitchPort(rows nb.Rows, p nb.SwitchPort, owner string) Change {
	if left, last := Leave("port "+p.Name, &p, &p.ExternalIDs, owner); !last {
		return left
	}
	s, _ := rows.SwitchOf(p.UUID)
	return Change{
		Text:  fmt.Sprintf("delete port %s of logical switch %s", p.Name, s.Name),
		Edits: []Edit{Unlink(&s, &s.Ports, p.UUID)},
	}
}

// DropRouterPort returns the edits that remove a router's port with its peer on a
// switch and its chassis group, as far as they are the owner's.
func DropRouterPort(rows nb.Rows, p nb.RouterPort, owner string) []Edit {
	var edits []Edit
	if router, found := rows.RouterOf(p.UUID); found {
		edits = append(edits, Unlink(&router, &router.Ports, p.UUID))
	}
	for _, peer := range rows.SwitchPorts {
		if peer.Type == "router" && peer.Options["router-port"] == p.Name && IsOwned(peer.ExternalIDs, owner) {
			edits = append(edits, DropSwitchPort(rows, peer, owner).Edits...)
		}
	}
	if group, found := rows.Group(p.Name); found && IsOwned(group.ExternalIDs, owner) {
		// The server counts the port's reference until the port is collected, which is
		// after it has checked the group's.
		free := p
		free.Group = nil
		edits = append(edits, Update(&free, &free.Group), Delete(&group))
	}
	return edits
}

// DropRouter returns the change that removes a router with its ports, translations and
// routes. A router with ports of other owners remains.
func DropRouter(rows nb.Rows, r nb.Router, owner string) Change {
	change := Change{Text: fmt.Sprintf("delete logical router %s with %d ports, %d translations and %d routes",
		r.Name, len(r.Ports), len(r.NAT), len(r.StaticRoutes))}
	var foreign []string
	for _, p := range rows.PortsOfRouter(r) {
		if !IsOwned(p.ExternalIDs, owner) {
			foreign = append(foreign, p.Name)
			continue
		}
		change.Edits = append(change.Edits, DropRouterPort(rows, p, owner)...)
	}
	change.Edits = append(change.Edits, Delete(&r))
	change.Blocked = Blocked("logical router "+r.Name, owner, foreign, "ovn-nbctl lrp-del")
	return change
}

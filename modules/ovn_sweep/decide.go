package ovnsweep

import (
	"slices"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

// decisions lists the removals: routers first, because switch ports lead to them, then
// ports, switches, and independent rows. Removals that another owner's rows block come
// last, so that they do not stop the others.
func (t *Task) decisions(rows nb.Rows, owner string) []decision {
	var all []decision
	for _, r := range rows.Routers {
		if ovn.IsOwned(r.ExternalIDs, owner) && t.goes(r.Name) {
			all = append(all, removeRouter(r.UUID, owner))
		}
	}
	all = append(all, t.ports(rows, owner)...)
	for _, s := range rows.Switches {
		if t.switchGoes(s, owner) {
			all = append(all, removeSwitch(s.UUID, owner))
		}
	}
	for _, d := range rows.DHCP {
		if ovn.IsOwned(d.ExternalIDs, owner) && t.goes(d.ExternalIDs[ovn.NameKey]) {
			all = append(all, removeDHCP(d.UUID))
		}
	}
	for _, g := range rows.Groups {
		if ovn.IsOwned(g.ExternalIDs, owner) && !t.groupStays(rows, g) {
			all = append(all, removeGroup(g.UUID))
		}
	}
	return ordered(all, rows)
}

// ordered moves blocked removals to the end and keeps the order otherwise.
func ordered(all []decision, rows nb.Rows) []decision {
	blocked := func(d decision) int {
		if d(rows).Blocked != nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b decision) int { return blocked(a) - blocked(b) })
	return all
}

func (t *Task) switchGoes(s nb.Switch, owner string) bool {
	return ovn.Ours(s.ExternalIDs, owner) && t.goes(s.Name)
}

// ports lists the switch ports that are removed separately, not with their switch or with
// the router that they lead to.
func (t *Task) ports(rows nb.Rows, owner string) []decision {
	var all []decision
	for _, p := range rows.SwitchPorts {
		if !ovn.Ours(p.ExternalIDs, owner) || !t.goes(p.Name) || t.goesWithRouter(rows, p, owner) {
			continue
		}
		home, _ := rows.SwitchOf(p.UUID)
		if t.switchGoes(home, owner) && len(ovn.Sharers(home.ExternalIDs)) < 2 {
			continue
		}
		all = append(all, func(rows nb.Rows) ovn.Change {
			for _, now := range rows.SwitchPorts {
				if now.UUID == p.UUID {
					return ovn.DropSwitchPort(rows, now, owner)
				}
			}
			return ovn.Change{}
		})
	}
	return all
}

// goesWithRouter reports whether a port leads to a router of the cluster: it remains or is
// removed with the router.
func (t *Task) goesWithRouter(rows nb.Rows, p nb.SwitchPort, owner string) bool {
	peer, found := rows.RouterPort(p.Options["router-port"])
	if p.Type != "router" || !found {
		return false
	}
	router, found := rows.RouterOf(peer.UUID)
	return found && ovn.IsOwned(router.ExternalIDs, owner)
}

// groupStays reports whether a router port uses the chassis group: it is removed with the port.
func (t *Task) groupStays(rows nb.Rows, g nb.Group) bool {
	return slices.ContainsFunc(rows.RouterPorts, func(p nb.RouterPort) bool { return p.Group != nil && *p.Group == g.UUID })
}

func removeRouter(uuid, owner string) decision {
	return func(rows nb.Rows) ovn.Change {
		for _, r := range rows.Routers {
			if r.UUID == uuid {
				return ovn.DropRouter(rows, r, owner)
			}
		}
		return ovn.Change{}
	}
}

func removeSwitch(uuid, owner string) decision {
	return func(rows nb.Rows) ovn.Change {
		for _, s := range rows.Switches {
			if s.UUID == uuid && ovn.Ours(s.ExternalIDs, owner) {
				return ovn.DropSwitch(rows, s, owner)
			}
		}
		return ovn.Change{}
	}
}

func removeDHCP(uuid string) decision {
	return func(rows nb.Rows) ovn.Change {
		for _, d := range rows.DHCP {
			if d.UUID == uuid {
				return ovn.Change{Text: "delete DHCP options " + d.ExternalIDs[ovn.NameKey], Edits: []ovn.Edit{ovn.Delete(&d)}}
			}
		}
		return ovn.Change{}
	}
}

func removeGroup(uuid string) decision {
	return func(rows nb.Rows) ovn.Change {
		for _, g := range rows.Groups {
			if g.UUID == uuid {
				return ovn.Change{Text: "delete chassis group " + g.Name, Edits: []ovn.Edit{ovn.Delete(&g)}}
			}
		}
		return ovn.Change{}
	}
}

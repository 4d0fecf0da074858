package ovnrouter

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

// present returns the change for the port, its peer and its chassis group, in one
// transaction.
func (t *Port) present(rows nb.Rows, owner string) (ovn.Change, error) {
	router, noRouter, err := ovn.FindRouter(rows, t.Router, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	on, noSwitch, err := ovn.FindSwitch(rows, t.Switch, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	group, id, err := t.group(rows, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	port, err := t.port(rows, router, id, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	peer, err := t.peerPort(rows, on, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	all := ovn.Both(ovn.Both(group, port), peer)
	if all.Empty() {
		return ovn.Change{}, nil
	}
	for _, missing := range []error{noRouter, noSwitch} {
		if missing != nil {
			all.Blocked = fmt.Errorf("router port %s: %w", t.name(), missing)
		}
	}
	all.Text = ovn.Lines(fmt.Sprintf("connect logical router %s to logical switch %s", t.Router, t.Switch), strings.Split(all.Text, "\n"))
	return all, nil
}

// port returns the change of the router's port. group is the UUID of its chassis group.
func (t *Port) port(rows nb.Rows, router nb.Router, group *string, owner string) (ovn.Change, error) {
	want := nb.RouterPort{
		UUID: "routerport", Name: t.name(), MAC: t.MAC, Networks: t.Networks, Group: group,
		Options: t.options(), ExternalIDs: ovn.Owned(owner, nil),
	}
	create := []ovn.Edit{ovn.Insert(&want), ovn.Link(&router, &router.Ports, want.UUID)}
	have, found := rows.RouterPort(t.name())
	if !found {
		text := ovn.Lines("create router port "+t.name(), ovn.Show(want, "mac", "networks", "options"))
		return ovn.Change{Text: text, Edits: create}, nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Change{}, t.foreign(have, owner)
	}
	if home, _ := rows.RouterOf(have.UUID); home.Name != t.Router {
		return ovn.Change{
			Text:  "move router port " + t.name() + " from logical router " + home.Name,
			Edits: append([]ovn.Edit{ovn.Unlink(&home, &home.Ports, have.UUID)}, create...),
		}, nil
	}
	return ovn.Correct("change router port "+t.name(), have, want, "mac", "networks", "options", "ha_chassis_group"), nil
}

// peerPort returns the change of the switch's port.
func (t *Port) peerPort(rows nb.Rows, on nb.Switch, owner string) (ovn.Change, error) {
	want := nb.SwitchPort{
		UUID: "peer", Name: t.peer(), Type: "router", Addresses: []string{"router"},
		Options: t.peerOptions(), ExternalIDs: ovn.Owned(owner, nil),
	}
	have, found := rows.SwitchPort(t.peer())
	if !found {
		edits := []ovn.Edit{ovn.Insert(&want), ovn.Link(&on, &on.Ports, want.UUID)}
		return ovn.Change{Text: "create port " + t.peer(), Edits: edits}, nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Change{}, ovn.Foreign("port "+t.peer(), have.ExternalIDs, owner, "ovn-nbctl lsp-del "+t.peer())
	}
	return ovn.Correct("change port "+t.peer(), have, want, "type", "addresses", "options"), nil
}

// group returns the change of the chassis group, and its UUID, nil without gateway chassis. The
// group has the port's name.
func (t *Port) group(rows nb.Rows, owner string) (ovn.Change, *string, error) {
	have, found := rows.Group(t.name())
	if found && !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Change{}, nil, ovn.Foreign("chassis group "+t.name(), have.ExternalIDs, owner, "ovn-nbctl ha-chassis-group-del "+t.name())
	}
	if len(t.GatewayChassis) == 0 {
		if !found {
			return ovn.Change{}, nil, nil
		}
		return ovn.Change{Text: "delete chassis group " + t.name(), Edits: []ovn.Edit{ovn.Delete(&have)}}, nil, nil
	}
	members, names := t.members(owner)
	change := ovn.Change{Text: "bind to chassis " + strings.Join(t.GatewayChassis, ", "), Edits: members}
	if !found {
		group := nb.Group{UUID: "group", Name: t.name(), Chassis: names, ExternalIDs: ovn.Owned(owner, nil)}
		change.Edits = append(change.Edits, ovn.Insert(&group))
		return change, &group.UUID, nil
	}
	if slices.Equal(ranks(rows.ChassisOf(have)), t.ranks()) {
		return ovn.Change{}, &have.UUID, nil
	}
	want := have
	want.Chassis = names
	change.Edits = append(change.Edits, ovn.Update(&want, &want.Chassis))
	return change, &have.UUID, nil
}

// members returns the inserts of the group's chassis and the names of their rows.
func (t *Port) members(owner string) (inserts []ovn.Edit, names []string) {
	for i, chassis := range t.GatewayChassis {
		row := nb.GroupChassis{
			UUID: fmt.Sprintf("chassis%d", i), Name: chassis, Priority: topPriority - i,
			ExternalIDs: ovn.Owned(owner, nil),
		}
		inserts, names = append(inserts, ovn.Insert(&row)), append(names, row.UUID)
	}
	return inserts, names
}

// ranks returns chassis with their priorities, sorted, for comparison.
func ranks(members []nb.GroupChassis) []string {
	all := lists.Map(members, func(m nb.GroupChassis) string { return fmt.Sprintf("%d %s", m.Priority, m.Name) })
	slices.Sort(all)
	return all
}

func (t *Port) ranks() []string {
	var members []nb.GroupChassis
	for i, chassis := range t.GatewayChassis {
		members = append(members, nb.GroupChassis{Name: chassis, Priority: topPriority - i})
	}
	return ranks(members)
}

// absent returns the change that removes the port with its peer and its chassis group.
func (t *Port) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	have, found := rows.RouterPort(t.name())
	if !found {
		return ovn.Change{}, nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Change{}, t.foreign(have, owner)
	}
	return ovn.Change{Text: "delete router port " + t.name(), Edits: ovn.DropRouterPort(rows, have, owner)}, nil
}

func (t *Port) foreign(have nb.RouterPort, owner string) error {
	return ovn.Foreign("router port "+t.name(), have.ExternalIDs, owner, "ovn-nbctl lrp-del "+t.name())
}

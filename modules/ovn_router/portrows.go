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
	var all ovn.Change
	group, err := t.group(&all, rows, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	if err := t.port(&all, rows, router, group, owner); err != nil {
		return ovn.Change{}, err
	}
	if err := t.peerPort(&all, rows, on, owner); err != nil {
		return ovn.Change{}, err
	}
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

// note adds an edit and its description.
func note(all *ovn.Change, lines []string, edits ...ovn.Edit) {
	if all.Text != "" {
		lines = append([]string{all.Text}, lines...)
	}
	all.Text = strings.Join(lines, "\n")
	all.Edits = append(all.Edits, edits...)
}

// port adds the edits of the router's port. group is the UUID of its chassis group.
func (t *Port) port(all *ovn.Change, rows nb.Rows, router nb.Router, group *string, owner string) error {
	want := nb.RouterPort{
		UUID: "routerport", Name: t.name(), MAC: t.MAC, Networks: t.Networks, Group: group,
		Options: t.options(), ExternalIDs: ovn.Owned(owner, nil),
	}
	have, found := rows.RouterPort(t.name())
	if !found {
		lines := append([]string{"create router port " + t.name()}, indent(ovn.Show(want, "mac", "networks", "options"))...)
		note(all, lines, ovn.Insert(&want), ovn.Link(&router, &router.Ports, want.UUID))
		return nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Foreign("router port "+t.name(), have.ExternalIDs, owner, "ovn-nbctl lrp-del "+t.name())
	}
	if home, _ := rows.RouterOf(have.UUID); home.Name != t.Router {
		note(all, []string{"move router port " + t.name() + " from logical router " + home.Name},
			ovn.Unlink(&home, &home.Ports, have.UUID), ovn.Insert(&want), ovn.Link(&router, &router.Ports, want.UUID))
		return nil
	}
	if edit, lines := ovn.Compare(have, want, "mac", "networks", "options", "ha_chassis_group"); edit != nil {
		note(all, append([]string{"change router port " + t.name()}, indent(lines)...), edit)
	}
	return nil
}

// peerPort adds the edits of the switch's port.
func (t *Port) peerPort(all *ovn.Change, rows nb.Rows, on nb.Switch, owner string) error {
	want := nb.SwitchPort{
		UUID: "peer", Name: t.peer(), Type: "router", Addresses: []string{"router"},
		Options: t.peerOptions(), ExternalIDs: ovn.Owned(owner, nil),
	}
	have, found := rows.SwitchPort(t.peer())
	if !found {
		note(all, []string{"create port " + t.peer()}, ovn.Insert(&want), ovn.Link(&on, &on.Ports, want.UUID))
		return nil
	}
	if !ovn.IsOwned(have.ExternalIDs, owner) {
		return ovn.Foreign("port "+t.peer(), have.ExternalIDs, owner, "ovn-nbctl lsp-del "+t.peer())
	}
	if edit, lines := ovn.Compare(have, want, "type", "addresses", "options"); edit != nil {
		note(all, append([]string{"change port " + t.peer()}, indent(lines)...), edit)
	}
	return nil
}

// group adds the edits of the chassis group and returns its UUID, nil without
// gateway chassis. The group has the port's name.
func (t *Port) group(all *ovn.Change, rows nb.Rows, owner string) (*string, error) {
	have, found := rows.Group(t.name())
	if found && !ovn.IsOwned(have.ExternalIDs, owner) {
		return nil, ovn.Foreign("chassis group "+t.name(), have.ExternalIDs, owner, "ovn-nbctl ha-chassis-group-del "+t.name())
	}
	if len(t.GatewayChassis) == 0 {
		if found {
			note(all, []string{"delete chassis group " + t.name()}, ovn.Delete(&have))
		}
		return nil, nil
	}
	text := fmt.Sprintf("bind to chassis %s", strings.Join(t.GatewayChassis, ", "))
	members, names := t.members(owner)
	if !found {
		group := nb.Group{UUID: "group", Name: t.name(), Chassis: names, ExternalIDs: ovn.Owned(owner, nil)}
		note(all, []string{text}, append(members, ovn.Insert(&group))...)
		return &group.UUID, nil
	}
	if !slices.Equal(ranks(rows.ChassisOf(have)), t.ranks()) {
		want := have
		want.Chassis = names
		note(all, []string{text}, append(members, ovn.Update(&want, &want.Chassis))...)
	}
	return &have.UUID, nil
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
		return ovn.Change{}, ovn.Foreign("router port "+t.name(), have.ExternalIDs, owner, "ovn-nbctl lrp-del "+t.name())
	}
	return ovn.Change{Text: "delete router port " + t.name(), Edits: ovn.DropRouterPort(rows, have, owner)}, nil
}

func indent(lines []string) []string {
	for i, line := range lines {
		lines[i] = "  " + line
	}
	return lines
}

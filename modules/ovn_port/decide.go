package ovnport

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

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

package ovnrouter

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/table"
)

func NATKind() module.Kind {
	return module.Of[NAT](module.Kind{Name: "ovn_nat", Signs: true})
}

// NAT is an address translation of a logical router. It runs on the host of
// ovn-central.
//
// Errors:
//   - the router does not exist
//   - external_mac or logical_port is given without the other, or without type
//     "dnat_and_snat"
//   - the host has no OVN northbound database, or it does not answer
type NAT struct {
	// Router is the logical router that translates.
	Router string `hcl:"router" nonempty:"want the logical router that translates"`
	// Type is "snat" (outgoing traffic gets the external address as its source), "dnat"
	// (traffic to the external address goes to the logical one) or "dnat_and_snat" (both).
	Type string `hcl:"type" enum:"snat,dnat,dnat_and_snat"`
	// ExternalIP is the outside address. Needed unless it is an absent "snat".
	ExternalIP string `hcl:"external_ip,optional"`
	// LogicalIP is the inside address; a network for "snat", such as "10.0.0.0/24".
	LogicalIP string `hcl:"logical_ip,optional"`
	// ExternalMAC is the outside Ethernet address. Together with logical_port it lets
	// the hypervisor of one guest translate by itself ("dnat_and_snat" only).
	ExternalMAC string `hcl:"external_mac,optional"`
	// LogicalPort is the guest's port, see external_mac.
	LogicalPort string `hcl:"logical_port,optional"`
	module.Presence
}

func (t *NAT) Validate() error {
	_, noExternal := netip.ParseAddr(t.ExternalIP)
	_, noAddress := netip.ParseAddr(t.LogicalIP)
	prefix, noNetwork := netip.ParsePrefix(t.LogicalIP)
	isNetwork := noNetwork == nil && t.Type == "snat" && prefix.Masked() == prefix
	if noExternal != nil && (!t.Absent() || t.Type != "snat") {
		return fmt.Errorf("external_ip is %q, want an address", t.ExternalIP)
	}
	if noAddress != nil && !isNetwork && (!t.Absent() || t.Type == "snat") {
		return fmt.Errorf("logical_ip is %q, want an address, or for \"snat\" a network", t.LogicalIP)
	}
	if t.ExternalMAC != "" != (t.LogicalPort != "") || t.ExternalMAC != "" && t.Type != "dnat_and_snat" {
		return errors.New("external_mac and logical_port go together, with type \"dnat_and_snat\"")
	}
	return link.CheckMAC("external_mac", t.ExternalMAC)
}

func (t *NAT) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

// find returns the router and its translation with the same key, as ovn-nbctl defines it: the
// inside address for "snat", the outside address for the others. missing is why there is no
// router yet.
func (t *NAT) find(rows nb.Rows, owner string) (router nb.Router, have nb.NAT, missing, err error) {
	router, missing, err = ovn.FindRouter(rows, t.Router, owner)
	have, found := table.First(rows.NATsOf(router), func(n nb.NAT) bool {
		same := n.ExternalIP == t.ExternalIP
		if t.Type == "snat" {
			same = n.LogicalIP == t.LogicalIP
		}
		return n.Type == t.Type && same
	})
	if err == nil && found && !ovn.IsOwned(have.ExternalIDs, owner) {
		key := have.ExternalIP
		if have.Type == "snat" {
			key = have.LogicalIP
		}
		err = ovn.Foreign(fmt.Sprintf("%s of %s on logical router %s", have.Type, key, t.Router), have.ExternalIDs, owner,
			fmt.Sprintf("ovn-nbctl lr-nat-del %s %s %s", t.Router, have.Type, key))
	}
	return router, have, missing, err
}

func (t *NAT) present(rows nb.Rows, owner string) (ovn.Change, error) {
	router, have, missing, err := t.find(rows, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	want := nb.NAT{
		UUID: "nat", Type: t.Type, ExternalIP: t.ExternalIP, LogicalIP: t.LogicalIP,
		ExternalMAC: ovn.Optional(t.ExternalMAC), LogicalPort: ovn.Optional(t.LogicalPort), ExternalIDs: ovn.Owned(owner, nil),
	}
	text := fmt.Sprintf("%s %s to %s on logical router %s", t.Type, t.LogicalIP, t.ExternalIP, t.Router)
	if have.UUID == "" {
		return ovn.Change{Text: "create " + text, Edits: []ovn.Edit{ovn.Insert(&want), ovn.Link(&router, &router.NAT, want.UUID)}, Blocked: missing}, nil
	}
	return ovn.Correct("change "+text, have, want, "external_ip", "logical_ip", "external_mac", "logical_port"), nil
}

func (t *NAT) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	router, have, _, err := t.find(rows, owner)
	if err != nil || have.UUID == "" {
		return ovn.Change{}, err
	}
	return ovn.Change{
		Text:  fmt.Sprintf("delete %s %s to %s of logical router %s", have.Type, have.LogicalIP, have.ExternalIP, t.Router),
		Edits: []ovn.Edit{ovn.Unlink(&router, &router.NAT, have.UUID)},
	}, nil
}

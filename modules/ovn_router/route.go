package ovnrouter

import (
	"context"
	"fmt"
	"net/netip"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/table"
)

func RouteKind() module.Kind {
	return module.Of[Route](module.Kind{Name: "ovn_route", Signs: true})
}

// Route is a static route of a logical router, one for each destination. It runs on the
// host of ovn-central.
//
// Errors:
//   - the router does not exist
//   - prefix is not a network, or nexthop neither an address nor "discard"
//   - the host has no OVN northbound database, or it does not answer
type Route struct {
	// Router is the logical router that gets the route.
	Router string `hcl:"router" nonempty:"want the logical router that gets the route"`
	// Prefix is the destination, such as "0.0.0.0/0".
	Prefix string `hcl:"prefix"`
	// Nexthop is the address of the next router, or "discard". Needed unless state is
	// "absent".
	Nexthop string `hcl:"nexthop,optional"`
	// OutputPort is the router port to send through. Empty: OVN finds it by the
	// nexthop.
	OutputPort string `hcl:"output_port,optional"`
	module.Presence
}

func (t *Route) Validate() error {
	prefix, err := netip.ParsePrefix(t.Prefix)
	if err != nil || prefix.Masked() != prefix {
		return fmt.Errorf("prefix is %q, want a destination such as \"0.0.0.0/0\"", t.Prefix)
	}
	if t.Absent() {
		return nil
	}
	if _, err := netip.ParseAddr(t.Nexthop); err != nil && t.Nexthop != "discard" {
		return fmt.Errorf("nexthop is %q, want an address or \"discard\"", t.Nexthop)
	}
	return nil
}

func (t *Route) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

// find returns the router and its route to the destination. missing is why there is no router
// yet.
func (t *Route) find(rows nb.Rows, owner string) (router nb.Router, have nb.Route, missing, err error) {
	router, missing, err = ovn.FindRouter(rows, t.Router, owner)
	have, found := table.First(rows.RoutesOf(router), func(r nb.Route) bool { return r.Prefix == t.Prefix })
	if err == nil && found && !ovn.IsOwned(have.ExternalIDs, owner) {
		err = ovn.Foreign(fmt.Sprintf("route %s on logical router %s", t.Prefix, t.Router), have.ExternalIDs, owner,
			fmt.Sprintf("ovn-nbctl lr-route-del %s %s", t.Router, t.Prefix))
	}
	return router, have, missing, err
}

func (t *Route) present(rows nb.Rows, owner string) (ovn.Change, error) {
	router, have, missing, err := t.find(rows, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	want := nb.Route{
		UUID: "route", Prefix: t.Prefix, Nexthop: t.Nexthop, OutputPort: ovn.Optional(t.OutputPort),
		ExternalIDs: ovn.Owned(owner, nil),
	}
	text := fmt.Sprintf("route %s via %s on logical router %s", t.Prefix, t.Nexthop, t.Router)
	if have.UUID == "" {
		return ovn.Change{Text: "create " + text, Edits: []ovn.Edit{ovn.Insert(&want), ovn.Link(&router, &router.StaticRoutes, want.UUID)}, Blocked: missing}, nil
	}
	return ovn.Correct("change "+text, have, want, "nexthop", "output_port"), nil
}

func (t *Route) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	router, have, _, err := t.find(rows, owner)
	if err != nil || have.UUID == "" {
		return ovn.Change{}, err
	}
	return ovn.Change{
		Text:  fmt.Sprintf("delete route %s via %s of logical router %s", have.Prefix, have.Nexthop, t.Router),
		Edits: []ovn.Edit{ovn.Unlink(&router, &router.StaticRoutes, have.UUID)},
	}, nil
}

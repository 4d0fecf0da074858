// Package ovnsweep removes a cluster's objects from OVN's databases: module
// ovn_sweep.
package ovnsweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_sweep", Sweeps: true})
}

// Task removes a cluster's routers, switches, ports and DHCP options from OVN. It runs
// on the host of ovn-central. With all, it also removes the listener of the southbound
// database.
//
// A router that remains keeps its ports, translations, routes and the switch ports that lead to
// it. Ports of a switch that remains are removed unless keep names them.
//
// A run removes the port of a node that stays only if --remove names the node, or an answer on the
// terminal; with all, the task says itself what it removes.
//
// Errors:
//   - a removal is not named; the task has changed nothing
//   - OVN's databases do not answer, or refuse a change
type Task struct {
	ovn.Sweep
	// KeepRoutes are the destinations of the routes that remaining routers keep, such as
	// "0.0.0.0/0"; the cluster's other routes are removed. Left out, all remain.
	KeepRoutes []string `hcl:"keep_routes,optional"`
}

// Plan lists the cluster's objects in an order in which they can be removed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	north, err := ovn.Load[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return nil, err
	}
	t.NoteForeign(h, north)
	steps := ovn.SweepSteps(h, ovn.Northbound(), north, t.removals)
	if !t.All {
		return steps, nil
	}
	forget, err := ovn.PlanAbsent(ctx, h, ovn.Northbound(), func(rows nb.Rows, owner string) (ovn.Change, error) {
		return ovn.WantNone(rows, owner), nil
	})
	if err != nil {
		return nil, err
	}
	south, err := ovn.Load[sb.Rows](ctx, h, ovn.Southbound())
	if err != nil {
		return nil, err
	}
	more, err := ovn.PlanAbsent(ctx, h, ovn.Southbound(), dropListener(south))
	return slices.Concat(steps, forget, more), err
}

type Outputs struct {
	Count int `cty:"count"` // number of the cluster's rows that are left
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	north, err := ovn.Left[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return Outputs{}, err
	}
	south, err := ovn.Left[sb.Rows](ctx, h, ovn.Southbound())
	return Outputs{Count: north + south}, err
}

// removals lists the removals: routers first, because switch ports lead to them, then
// ports, switches, and independent rows.
func (t *Task) removals(rows nb.Rows, owner string) []ovn.Removal {
	var all []ovn.Removal
	for _, r := range rows.Routers {
		if ovn.IsOwned(r.ExternalIDs, owner) && t.Goes(r.Name) {
			all = append(all, ovn.Removal{Key: r.UUID, Change: ovn.DropRouter(rows, r, owner)})
		}
	}
	all = append(all, t.routes(rows, owner)...)
	all = append(all, t.ports(rows, owner)...)
	for _, s := range rows.Switches {
		if t.switchGoes(s, owner) {
			all = append(all, ovn.Removal{Key: s.UUID, Ports: t.guarded(rows.PortsOf(s)...), Change: ovn.DropSwitch(rows, s, owner)})
		}
	}
	for _, d := range rows.DHCP {
		if ovn.IsOwned(d.ExternalIDs, owner) && t.Goes(d.ExternalIDs[ovn.NameKey]) {
			all = append(all, removal("DHCP options "+d.ExternalIDs[ovn.NameKey], d.UUID, &d))
		}
	}
	for _, g := range rows.Groups {
		if ovn.IsOwned(g.ExternalIDs, owner) && !t.groupStays(rows, g) {
			all = append(all, removal("chassis group "+g.Name, g.UUID, &g))
		}
	}
	return all
}

// routes lists the routes that are removed although their router remains.
func (t *Task) routes(rows nb.Rows, owner string) []ovn.Removal {
	if t.KeepRoutes == nil {
		return nil
	}
	var all []ovn.Removal
	for _, r := range rows.Routers {
		if ovn.IsOwned(r.ExternalIDs, owner) && t.Goes(r.Name) {
			continue
		}
		for _, route := range rows.RoutesOf(r) {
			if !ovn.IsOwned(route.ExternalIDs, owner) || !t.All && slices.Contains(t.KeepRoutes, route.Prefix) {
				continue
			}
			all = append(all, ovn.Removal{Key: route.UUID, Change: ovn.Change{
				Text:  fmt.Sprintf("delete route %s via %s of logical router %s", route.Prefix, route.Nexthop, r.Name),
				Edits: []ovn.Edit{ovn.Unlink(&r, &r.StaticRoutes, route.UUID)},
			}})
		}
	}
	return all
}

// removal is the removal of an independent row.
func removal(thing, uuid string, row any) ovn.Removal {
	return ovn.Removal{Key: uuid, Change: ovn.Change{Text: "delete " + thing, Edits: []ovn.Edit{ovn.Delete(row)}}}
}

func (t *Task) switchGoes(s nb.Switch, owner string) bool {
	return ovn.Ours(s.ExternalIDs, owner) && t.Goes(s.Name)
}

// ports lists the switch ports that are removed separately, not with their switch or with
// the router that they lead to.
func (t *Task) ports(rows nb.Rows, owner string) []ovn.Removal {
	var all []ovn.Removal
	for _, p := range rows.SwitchPorts {
		if !ovn.Ours(p.ExternalIDs, owner) || !t.Goes(p.Name) || t.goesWithRouter(rows, p, owner) {
			continue
		}
		home, _ := rows.SwitchOf(p.UUID)
		if t.switchGoes(home, owner) && len(ovn.Sharers(home.ExternalIDs)) < 2 {
			continue
		}
		all = append(all, ovn.Removal{Key: p.UUID, Ports: t.guarded(p), Change: ovn.DropSwitchPort(rows, p, owner)})
	}
	return all
}

// guarded returns the names of ports that the engine must not let go while they are those of nodes that stay. With all, the
// task says itself that they go.
func (t *Task) guarded(ports ...nb.SwitchPort) []string {
	if t.All {
		return nil
	}
	return lists.Map(ports, func(p nb.SwitchPort) string { return p.Name })
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

// dropListener removes the southbound database's listener. The listener must outlive the
// chassis: an ovn-controller that stops waits forever for the database that it was
// connected to.
func dropListener(planned sb.Rows) ovn.Decision[sb.Rows] {
	return func(rows sb.Rows, owner string) (ovn.Change, error) {
		change := ovn.DropListener(rows, owner)
		connected := alive(planned, rows)
		if change.Empty() || len(connected) == 0 || isShared(rows, owner) {
			return change, nil
		}
		change.Blocked = fmt.Errorf("chassis %s are still connected and could not leave without the listener; end ovn-controller there first, with \"systemctl stop ovn-controller\"",
			strings.Join(connected, ", "))
		return change, nil
	}
}

// alive returns the current chassis that had the newest change when the sweep was planned.
// The rows of a dead host are older.
func alive(planned, now sb.Rows) []string {
	last := planned.Global()
	if last.UUID == "" {
		return nil
	}
	var names []string
	for _, c := range now.Chassis {
		for _, private := range now.ChassisPrivate {
			if private.Name == c.Name && private.NbCfg >= last.NbCfg {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// isShared reports whether another cluster needs a listener of this cluster.
func isShared(rows sb.Rows, owner string) bool {
	for _, c := range rows.Connections {
		if ovn.Shares(c.ExternalIDs, owner) && len(ovn.Sharers(c.ExternalIDs)) > 1 {
			return true
		}
	}
	return false
}

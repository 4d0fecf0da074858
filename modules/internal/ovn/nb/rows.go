// Package nb defines the rows of the OVN northbound database that kinit uses,
// with columns that every OVN since 20.09 has.
package nb

import "slices"

// Rows is the content of the northbound database.
type Rows struct {
	Globals      []Global
	Switches     []Switch
	SwitchPorts  []SwitchPort
	Routers      []Router
	RouterPorts  []RouterPort
	NATs         []NAT
	Routes       []Route
	DHCP         []DHCP
	Groups       []Group
	GroupChassis []GroupChassis
}

// SwitchesNamed returns the logical switches of a name; the database allows
// several.
func (r Rows) SwitchesNamed(name string) []Switch {
	return named(r.Switches, name, func(s Switch) string { return s.Name })
}

// SwitchPort returns the switch port of a name, which is unique.
func (r Rows) SwitchPort(name string) (SwitchPort, bool) {
	return first(named(r.SwitchPorts, name, func(p SwitchPort) string { return p.Name }))
}

// SwitchOf returns the logical switch that holds a port.
func (r Rows) SwitchOf(port string) (Switch, bool) {
	for _, s := range r.Switches {
		if slices.Contains(s.Ports, port) {
			return s, true
		}
	}
	return Switch{}, false
}

// PortsOf returns the ports of a logical switch.
func (r Rows) PortsOf(s Switch) []SwitchPort {
	return pick(r.SwitchPorts, s.Ports, func(p SwitchPort) string { return p.UUID })
}

// RoutersNamed returns the logical routers of a name; the database allows
// several.
func (r Rows) RoutersNamed(name string) []Router {
	return named(r.Routers, name, func(l Router) string { return l.Name })
}

// RouterPort returns the router port of a name, which is unique.
func (r Rows) RouterPort(name string) (RouterPort, bool) {
	return first(named(r.RouterPorts, name, func(p RouterPort) string { return p.Name }))
}

// RouterOf returns the logical router that holds a port.
func (r Rows) RouterOf(port string) (Router, bool) {
	for _, l := range r.Routers {
		if slices.Contains(l.Ports, port) {
			return l, true
		}
	}
	return Router{}, false
}

// PortsOfRouter returns the ports of a logical router.
func (r Rows) PortsOfRouter(l Router) []RouterPort {
	return pick(r.RouterPorts, l.Ports, func(p RouterPort) string { return p.UUID })
}

// NATsOf returns the translations of a logical router.
func (r Rows) NATsOf(l Router) []NAT {
	return pick(r.NATs, l.NAT, func(n NAT) string { return n.UUID })
}

// RoutesOf returns the static routes of a logical router.
func (r Rows) RoutesOf(l Router) []Route {
	return pick(r.Routes, l.StaticRoutes, func(s Route) string { return s.UUID })
}

// Group returns the chassis group of a name, which is unique.
func (r Rows) Group(name string) (Group, bool) {
	return first(named(r.Groups, name, func(g Group) string { return g.Name }))
}

// ChassisOf returns the members of a chassis group.
func (r Rows) ChassisOf(g Group) []GroupChassis {
	return pick(r.GroupChassis, g.Chassis, func(c GroupChassis) string { return c.UUID })
}

func named[T any](rows []T, name string, of func(T) string) []T {
	var found []T
	for _, row := range rows {
		if of(row) == name {
			found = append(found, row)
		}
	}
	return found
}

// pick returns the rows whose UUID is listed.
func pick[T any](rows []T, uuids []string, of func(T) string) []T {
	var found []T
	for _, row := range rows {
		if slices.Contains(uuids, of(row)) {
			found = append(found, row)
		}
	}
	return found
}

func first[T any](rows []T) (T, bool) {
	if len(rows) == 0 {
		var none T
		return none, false
	}
	return rows[0], true
}

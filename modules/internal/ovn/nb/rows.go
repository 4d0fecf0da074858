// Package nb defines the rows of the OVN northbound database that kinit uses,
// with columns that every OVN since 20.09 has.
package nb

import (
	"slices"

	"kinit/modules/internal/ovn/table"
)

// Rows is the content of the northbound database.
type Rows struct {
	Globals      []Global       `table:"NB_Global"`
	Switches     []Switch       `table:"Logical_Switch"`
	SwitchPorts  []SwitchPort   `table:"Logical_Switch_Port"`
	Routers      []Router       `table:"Logical_Router"`
	RouterPorts  []RouterPort   `table:"Logical_Router_Port"`
	NATs         []NAT          `table:"NAT"`
	Routes       []Route        `table:"Logical_Router_Static_Route"`
	DHCP         []DHCP         `table:"DHCP_Options"`
	Groups       []Group        `table:"HA_Chassis_Group"`
	GroupChassis []GroupChassis `table:"HA_Chassis"`
}

// Global returns the one row of NB_Global, an empty one if no program has opened the database yet.
func (r Rows) Global() Global { return table.Only(r.Globals) }

// SwitchesNamed returns the logical switches of a name; the database allows
// several.
func (r Rows) SwitchesNamed(name string) []Switch {
	return table.Where(r.Switches, func(s Switch) bool { return s.Name == name })
}

// SwitchPort returns the switch port of a name, which is unique.
func (r Rows) SwitchPort(name string) (SwitchPort, bool) {
	return table.First(r.SwitchPorts, func(p SwitchPort) bool { return p.Name == name })
}

// SwitchOf returns the logical switch that holds a port.
func (r Rows) SwitchOf(port string) (Switch, bool) {
	return table.First(r.Switches, func(s Switch) bool { return slices.Contains(s.Ports, port) })
}

// PortsOf returns the ports of a logical switch.
func (r Rows) PortsOf(s Switch) []SwitchPort {
	return table.Where(r.SwitchPorts, func(p SwitchPort) bool { return slices.Contains(s.Ports, p.UUID) })
}

// RoutersNamed returns the logical routers of a name; the database allows
// several.
func (r Rows) RoutersNamed(name string) []Router {
	return table.Where(r.Routers, func(l Router) bool { return l.Name == name })
}

// RouterPort returns the router port of a name, which is unique.
func (r Rows) RouterPort(name string) (RouterPort, bool) {
	return table.First(r.RouterPorts, func(p RouterPort) bool { return p.Name == name })
}

// RouterOf returns the logical router that holds a port.
func (r Rows) RouterOf(port string) (Router, bool) {
	return table.First(r.Routers, func(l Router) bool { return slices.Contains(l.Ports, port) })
}

// PortsOfRouter returns the ports of a logical router.
func (r Rows) PortsOfRouter(l Router) []RouterPort {
	return table.Where(r.RouterPorts, func(p RouterPort) bool { return slices.Contains(l.Ports, p.UUID) })
}

// NATsOf returns the translations of a logical router.
func (r Rows) NATsOf(l Router) []NAT {
	return table.Where(r.NATs, func(n NAT) bool { return slices.Contains(l.NAT, n.UUID) })
}

// RoutesOf returns the static routes of a logical router.
func (r Rows) RoutesOf(l Router) []Route {
	return table.Where(r.Routes, func(s Route) bool { return slices.Contains(l.StaticRoutes, s.UUID) })
}

// Group returns the chassis group of a name, which is unique.
func (r Rows) Group(name string) (Group, bool) {
	return table.First(r.Groups, func(g Group) bool { return g.Name == name })
}

// ChassisOf returns the members of a chassis group.
func (r Rows) ChassisOf(g Group) []GroupChassis {
	return table.Where(r.GroupChassis, func(c GroupChassis) bool { return slices.Contains(g.Chassis, c.UUID) })
}

// Global is the one row of NB_Global: the counters by which a change is followed
// to the hypervisors.
type Global struct {
	UUID  string `ovsdb:"_uuid"`
	NbCfg int    `ovsdb:"nb_cfg"` // counted up with each change
	SbCfg int    `ovsdb:"sb_cfg"` // the change the southbound database has
	HvCfg int    `ovsdb:"hv_cfg"` // the change every chassis has

	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Switch is a row of Logical_Switch.
type Switch struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
	OtherConfig map[string]string `ovsdb:"other_config"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// SwitchPort is a row of Logical_Switch_Port.
type SwitchPort struct {
	UUID         string            `ovsdb:"_uuid"`
	Name         string            `ovsdb:"name"`
	Type         string            `ovsdb:"type"`
	Options      map[string]string `ovsdb:"options"`
	Addresses    []string          `ovsdb:"addresses"`
	PortSecurity []string          `ovsdb:"port_security"`
	TagRequest   *int              `ovsdb:"tag_request"`
	Up           *bool             `ovsdb:"up"` // set by OVN when a chassis has it
	DHCPv4       *string           `ovsdb:"dhcpv4_options"`
	ExternalIDs  map[string]string `ovsdb:"external_ids"`
}

// Router is a row of Logical_Router.
type Router struct {
	UUID         string            `ovsdb:"_uuid"`
	Name         string            `ovsdb:"name"`
	Ports        []string          `ovsdb:"ports"`
	StaticRoutes []string          `ovsdb:"static_routes"`
	NAT          []string          `ovsdb:"nat"`
	Options      map[string]string `ovsdb:"options"`
	ExternalIDs  map[string]string `ovsdb:"external_ids"`
}

// RouterPort is a row of Logical_Router_Port.
type RouterPort struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	MAC         string            `ovsdb:"mac"`
	Networks    []string          `ovsdb:"networks"`
	Group       *string           `ovsdb:"ha_chassis_group"`
	Options     map[string]string `ovsdb:"options"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// NAT is a row of NAT.
type NAT struct {
	UUID        string            `ovsdb:"_uuid"`
	Type        string            `ovsdb:"type"`
	ExternalIP  string            `ovsdb:"external_ip"`
	LogicalIP   string            `ovsdb:"logical_ip"`
	ExternalMAC *string           `ovsdb:"external_mac"`
	LogicalPort *string           `ovsdb:"logical_port"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Route is a row of Logical_Router_Static_Route.
type Route struct {
	UUID        string            `ovsdb:"_uuid"`
	Prefix      string            `ovsdb:"ip_prefix"`
	Nexthop     string            `ovsdb:"nexthop"`
	OutputPort  *string           `ovsdb:"output_port"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// DHCP is a row of DHCP_Options.
type DHCP struct {
	UUID        string            `ovsdb:"_uuid"`
	CIDR        string            `ovsdb:"cidr"`
	Options     map[string]string `ovsdb:"options"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Group is a row of HA_Chassis_Group.
type Group struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Chassis     []string          `ovsdb:"ha_chassis"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// GroupChassis is a row of HA_Chassis.
type GroupChassis struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"chassis_name"`
	Priority    int               `ovsdb:"priority"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

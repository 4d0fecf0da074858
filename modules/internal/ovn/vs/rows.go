// Package vs defines the rows of a host's Open_vSwitch database that kinit
// uses.
package vs

import (
	"slices"

	"kinit/modules/internal/ovn/table"
)

// Rows is the content of the Open_vSwitch database.
type Rows struct {
	Roots      []Root      `table:"Open_vSwitch"`
	Bridges    []Bridge    `table:"Bridge"`
	Ports      []Port      `table:"Port"`
	Interfaces []Interface `table:"Interface"`
	SSLs       []table.SSL `table:"SSL"`
}

// Root is the one row of Open_vSwitch.
type Root struct {
	UUID        string            `ovsdb:"_uuid"`
	Bridges     []string          `ovsdb:"bridges"`
	SSL         *string           `ovsdb:"ssl"`
	NextCfg     int               `ovsdb:"next_cfg"` // counted up with each change
	CurCfg      int               `ovsdb:"cur_cfg"`  // the change ovs-vswitchd has made
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Bridge is a row of Bridge.
type Bridge struct {
	UUID         string            `ovsdb:"_uuid"`
	Name         string            `ovsdb:"name"`
	DatapathType string            `ovsdb:"datapath_type"`
	FailMode     *string           `ovsdb:"fail_mode"`
	Ports        []string          `ovsdb:"ports"`
	OtherConfig  map[string]string `ovsdb:"other_config"`
	ExternalIDs  map[string]string `ovsdb:"external_ids"`
}

// Port is a row of Port.
type Port struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Interfaces  []string          `ovsdb:"interfaces"`
	Tag         *int              `ovsdb:"tag"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Interface is a row of Interface.
type Interface struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Type        string            `ovsdb:"type"`
	MAC         *string           `ovsdb:"mac"`
	MTURequest  *int              `ovsdb:"mtu_request"`
	OFPort      *int              `ovsdb:"ofport"` // -1 when the device could not be opened
	Error       *string           `ovsdb:"error"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Root returns the one row of Open_vSwitch, an empty one if the daemon has never run.
func (r Rows) Root() Root { return table.Only(r.Roots) }

// Bridge returns the bridge of a name, which is unique.
func (r Rows) Bridge(name string) (Bridge, bool) {
	return table.First(r.Bridges, func(b Bridge) bool { return b.Name == name })
}

// Port returns the port of a name, which is unique.
func (r Rows) Port(name string) (Port, bool) {
	return table.First(r.Ports, func(p Port) bool { return p.Name == name })
}

// Interface returns the interface of a name, which is unique.
func (r Rows) Interface(name string) (Interface, bool) {
	return table.First(r.Interfaces, func(i Interface) bool { return i.Name == name })
}

// BridgeOf returns the bridge that holds a port.
func (r Rows) BridgeOf(p Port) (Bridge, bool) {
	return table.First(r.Bridges, func(b Bridge) bool { return slices.Contains(b.Ports, p.UUID) })
}

// PortsOf returns the ports of a bridge, the bridge's own among them.
func (r Rows) PortsOf(b Bridge) []Port {
	return table.Where(r.Ports, func(p Port) bool { return slices.Contains(b.Ports, p.UUID) })
}

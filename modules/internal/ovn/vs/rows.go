// Package vs defines the rows of a host's Open_vSwitch database that kinit
// uses.
package vs

import "slices"

// Rows is the content of the Open_vSwitch database.
type Rows struct {
	Roots      []Root
	Bridges    []Bridge
	Ports      []Port
	Interfaces []Interface
	SSLs       []SSL
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

// SSL is the one row of SSL: paths on the host.
type SSL struct {
	UUID        string            `ovsdb:"_uuid"`
	PrivateKey  string            `ovsdb:"private_key"`
	Certificate string            `ovsdb:"certificate"`
	CACert      string            `ovsdb:"ca_cert"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Root returns the one row of Open_vSwitch.
func (r Rows) Root() Root {
	if len(r.Roots) == 0 {
		return Root{}
	}
	return r.Roots[0]
}

// Bridge returns the bridge of a name, which is unique.
func (r Rows) Bridge(name string) (Bridge, bool) {
	for _, b := range r.Bridges {
		if b.Name == name {
			return b, true
		}
	}
	return Bridge{}, false
}

// Port returns the port of a name, which is unique.
func (r Rows) Port(name string) (Port, bool) {
	for _, p := range r.Ports {
		if p.Name == name {
			return p, true
		}
	}
	return Port{}, false
}

// Interface returns the interface of a name, which is unique.
func (r Rows) Interface(name string) (Interface, bool) {
	for _, i := range r.Interfaces {
		if i.Name == name {
			return i, true
		}
	}
	return Interface{}, false
}

// BridgeOf returns the bridge that holds a port.
func (r Rows) BridgeOf(p Port) (Bridge, bool) {
	for _, b := range r.Bridges {
		if slices.Contains(b.Ports, p.UUID) {
			return b, true
		}
	}
	return Bridge{}, false
}

// PortsOf returns the ports of a bridge, the bridge's own among them.
func (r Rows) PortsOf(b Bridge) []Port {
	var ports []Port
	for _, p := range r.Ports {
		if slices.Contains(b.Ports, p.UUID) {
			ports = append(ports, p)
		}
	}
	return ports
}

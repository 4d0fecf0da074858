// Package ovn talks to the databases of OVN and Open vSwitch on a host.
//
// It owns the connection (over a socket forwarded inside the host's own), the
// marks that record which cluster owns a row, and the structure of every OVN module:
// read all rows, decide from them alone, commit in one transaction. Each module's package
// decides its changes. No other package of kinit imports libovsdb.
package ovn

import (
	"context"

	"github.com/ovn-org/libovsdb/model"

	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/table"
	"kinit/modules/internal/ovn/vs"
)

// Where Debian's and Fedora's packages put the databases' sockets.
const (
	NorthboundSocket = "/run/ovn/ovnnb_db.sock"
	SouthboundSocket = "/run/ovn/ovnsb_db.sock"
	SwitchSocket     = "/run/openvswitch/db.sock"
)

// Database is one database of a host.
type Database struct {
	Name   string // its name in the server
	Socket string // its path on the host
	File   string // its file on the host
	Need   string // what must run for it to answer
	tables map[string]model.Model
	// commit sends edits in one transaction, with this database's additional operations.
	commit func(ctx context.Context, s *Session, edits []Edit) error
}

// Northbound is OVN's northbound database. Each commit counts NB_Global.nb_cfg
// up, by which the change can be followed to the hypervisors.
func Northbound() Database {
	return Database{
		Name: "OVN_Northbound", Socket: NorthboundSocket, File: "/var/lib/ovn/ovnnb_db.db", Need: "ovn-central",
		tables: map[string]model.Model{
			"NB_Global":                   &nb.Global{},
			"Logical_Switch":              &nb.Switch{},
			"Logical_Switch_Port":         &nb.SwitchPort{},
			"Logical_Router":              &nb.Router{},
			"Logical_Router_Port":         &nb.RouterPort{},
			"NAT":                         &nb.NAT{},
			"Logical_Router_Static_Route": &nb.Route{},
			"DHCP_Options":                &nb.DHCP{},
			"HA_Chassis_Group":            &nb.Group{},
			"HA_Chassis":                  &nb.GroupChassis{},
		},
		commit: commitNorthbound,
	}
}

// Southbound is OVN's southbound database: its listeners, and its chassis.
func Southbound() Database {
	return Database{
		Name: "OVN_Southbound", Socket: SouthboundSocket, File: "/var/lib/ovn/ovnsb_db.db", Need: "ovn-central",
		tables: map[string]model.Model{
			"SB_Global":       &sb.Global{},
			"Connection":      &sb.Connection{},
			"SSL":             &table.SSL{},
			"Chassis":         &sb.Chassis{},
			"Chassis_Private": &sb.ChassisPrivate{},
		},
		commit: commitPlain,
	}
}

// Switch is the host's own Open vSwitch database. A commit returns when
// ovs-vswitchd has made the change.
func Switch() Database {
	return Database{
		Name: "Open_vSwitch", Socket: SwitchSocket, File: "/etc/openvswitch/conf.db", Need: "openvswitch-switch",
		tables: map[string]model.Model{
			"Open_vSwitch": &vs.Root{},
			"Bridge":       &vs.Bridge{},
			"Port":         &vs.Port{},
			"Interface":    &vs.Interface{},
			"SSL":          &table.SSL{},
		},
		commit: commitSwitch,
	}
}

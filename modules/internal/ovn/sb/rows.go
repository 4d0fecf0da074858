// Package sb defines the rows of the OVN southbound database that kinit reads or
// sets: its listeners and its chassis.
package sb

import "kinit/modules/internal/ovn/table"

// Rows is the content of the southbound database, without the logical flows.
type Rows struct {
	Globals        []Global         `table:"SB_Global"`
	Connections    []Connection     `table:"Connection"`
	SSLs           []table.SSL      `table:"SSL"`
	Chassis        []Chassis        `table:"Chassis"`
	ChassisPrivate []ChassisPrivate `table:"Chassis_Private"`
}

// Global returns the one row of SB_Global, an empty one if no program has opened the database yet.
func (r Rows) Global() Global { return table.Only(r.Globals) }

// Global is the one row of SB_Global.
type Global struct {
	UUID        string   `ovsdb:"_uuid"`
	NbCfg       int      `ovsdb:"nb_cfg"` // the northbound change this database has
	Connections []string `ovsdb:"connections"`
	SSL         *string  `ovsdb:"ssl"`
}

// Connection is a row of Connection: an address to listen on.
type Connection struct {
	UUID            string            `ovsdb:"_uuid"`
	Target          string            `ovsdb:"target"`
	InactivityProbe *int              `ovsdb:"inactivity_probe"` // milliseconds
	Role            string            `ovsdb:"role"`
	Status          map[string]string `ovsdb:"status"`
	ExternalIDs     map[string]string `ovsdb:"external_ids"`
}

// Chassis is a row of Chassis: a hypervisor that has registered.
type Chassis struct {
	UUID     string `ovsdb:"_uuid"`
	Name     string `ovsdb:"name"`
	Hostname string `ovsdb:"hostname"`
}

// ChassisPrivate is a row of Chassis_Private: the progress of a hypervisor.
type ChassisPrivate struct {
	UUID           string `ovsdb:"_uuid"`
	Name           string `ovsdb:"name"`
	NbCfg          int    `ovsdb:"nb_cfg"`
	NbCfgTimestamp int    `ovsdb:"nb_cfg_timestamp"` // milliseconds since 1970, by the chassis' clock
}

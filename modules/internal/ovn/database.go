// Package ovn talks to the databases of OVN and Open vSwitch on a host.
//
// It owns the connection (over a socket forwarded inside the host's own), the
// marks that record which cluster owns a row, and the structure of every OVN module:
// read all rows, decide from them alone, commit in one transaction. Each module's package
// decides its changes. No other package of kinit imports libovsdb.
package ovn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"

	"github.com/ovn-org/libovsdb/model"
	"github.com/ovn-org/libovsdb/ovsdb"

	"kinit/engine/bounds"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ownership"
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
	commit func(ctx context.Context, s *Replica, edits []Edit) error
}

// Northbound is OVN's northbound database. Each commit counts NB_Global.nb_cfg
// up, by which the change can be followed to the hypervisors.
func Northbound() Database {
	return Database{
		Name: "OVN_Northbound", Socket: NorthboundSocket, File: "/var/lib/ovn/ovnnb_db.db", Need: "ovn-central",
		tables: tables(nb.Rows{}),
		commit: commitNorthbound,
	}
}

// Southbound is OVN's southbound database: its listeners, and its chassis.
func Southbound() Database {
	return Database{
		Name: "OVN_Southbound", Socket: SouthboundSocket, File: "/var/lib/ovn/ovnsb_db.db", Need: "ovn-central",
		tables: tables(sb.Rows{}),
		commit: commitPlain,
	}
}

// Switch is the host's own Open vSwitch database. A commit returns when
// ovs-vswitchd has made the change.
func Switch() Database {
	return Database{
		Name: "Open_vSwitch", Socket: SwitchSocket, File: "/etc/openvswitch/conf.db", Need: "openvswitch-switch",
		tables: tables(vs.Rows{}),
		commit: commitSwitch,
	}
}

// tables returns an empty row of each table by the name of the table, which is the tag of its field
// in rows, such as nb.Rows.
func tables(rows any) map[string]model.Model {
	all := map[string]model.Model{}
	for field := range reflect.TypeOf(rows).Fields() {
		all[field.Tag.Get("table")] = reflect.New(field.Type.Elem()).Interface()
	}
	return all
}

// Running reports whether a database answers on the host. A stopped one that
// still has rows of the owner is an error: they would take effect again at the
// next start, so they must not count as removed.
func Running(ctx context.Context, h module.Host, db Database) (bool, error) {
	there, err := Exists(ctx, h, db)
	if err != nil || there || h.Owner() == "" {
		return there, err
	}
	// Debian's package of Open vSwitch has a link there, to a file that the first start makes.
	if _, _, err := hostfile.Follow(ctx, h, db.File); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	left, err := db.stored(ctx, h)
	if err == nil && left > 0 {
		err = fmt.Errorf("%s on %s is stopped and still has %d rows of cluster %s; start %s and try again", db.Name, h.Name(), left, h.Owner(), db.Need)
	}
	return false, err
}

// stored counts the owner's rows in the file of a stopped database.
func (db Database) stored(ctx context.Context, h module.Host) (int, error) {
	query, err := json.Marshal(db.selection())
	if err != nil {
		return 0, err
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"ovsdb-tool", "query", db.File, string(query)}})
	if module.Exited(err, 127) {
		return 0, nil // the program that could start it again is uninstalled
	}
	if err != nil {
		return 0, fmt.Errorf("look into %s, which is stopped: %w; start %s and try again", db.File, err, db.Need)
	}
	var answers []ovsdb.OperationResult
	if err := bounds.DecodeJSON([]byte(out.Stdout), &answers); err != nil {
		return 0, fmt.Errorf("read the output of ovsdb-tool: %w", err)
	}
	count := 0
	for _, answer := range answers {
		for _, row := range answer.Rows {
			found, _ := row["external_ids"].(ovsdb.OvsMap)
			ids := map[string]string{}
			for key, value := range found.GoMap {
				ids[fmt.Sprint(key)] = fmt.Sprint(value)
			}
			if isMarked(ids, ownership.Signature(h)) {
				count++
			}
		}
	}
	return count, nil
}

// selection is the transaction that reads external_ids of every table with it. A
// selection has equal rows only once, so it takes their UUIDs along.
func (db Database) selection() []any {
	all := []any{db.Name}
	for _, table := range slices.Sorted(maps.Keys(db.tables)) {
		if slices.Contains(columns(db.tables[table]), "external_ids") {
			all = append(all, ovsdb.Operation{Op: ovsdb.OperationSelect, Table: table, Columns: []string{"_uuid", "external_ids"}})
		}
	}
	return all
}

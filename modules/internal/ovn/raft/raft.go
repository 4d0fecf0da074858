// Package raft reads what a host's server of an OVN database is in a cluster of servers: its
// file, by ovsdb-tool, and its state, by ovn-appctl.
package raft

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
)

// Database is a database with what its server has on a host.
type Database struct {
	ovn.Database
	Word   string // how playbooks call it
	Schema string // the file with its tables
}

// Databases are those that OVN's servers keep together.
func Databases() []Database {
	return []Database{
		{Database: ovn.Northbound(), Word: "northbound", Schema: "/usr/share/ovn/ovn-nb.ovsschema"},
		{Database: ovn.Southbound(), Word: "southbound", Schema: "/usr/share/ovn/ovn-sb.ovsschema"},
	}
}

// Find returns the database of a word.
func Find(word string) (Database, bool) {
	for _, db := range Databases() {
		if db.Word == word {
			return db, true
		}
	}
	return Database{}, false
}

// Control is the socket by which ovn-appctl reaches the server.
func (db Database) Control() string { return strings.TrimSuffix(db.Socket, ".sock") + ".ctl" }

// Process is the file with the server's process number.
func (db Database) Process() string { return strings.TrimSuffix(db.Socket, ".sock") + ".pid" }

// Kinds of a database's file.
const (
	None       = "none"
	Standalone = "standalone"
	Clustered  = "clustered"
)

// State is what a host has of a database.
type State struct {
	Kind    string // of the file
	Address string // of a clustered file: where other servers reach this one
	Server  string // of a clustered file: the server's id
	Joined  string // of a clustered file: the id of the cluster, once the server has joined it
	Status         // what the server says; empty if it does not answer, or if its database is standalone
}

//go:embed state.sh
var script string

// Read looks at a host's file, and asks its server.
func Read(ctx context.Context, h module.Host, db Database) (State, error) {
	out, err := h.Run(ctx, module.Command{
		Argv: []string{"sh", "-c", script, "ovn-state", db.File, db.Control(), db.Name},
		Name: "look at " + db.File,
	})
	if err != nil {
		return State{}, fmt.Errorf("look at %s on %s: %w", db.File, h.Name(), err)
	}
	return parse(out.Stdout), nil
}

// parse reads the lines of the script: KEY=VALUE of the file, then what the server said.
func parse(text string) State {
	var s State
	facts := map[string]*string{"kind": &s.Kind, "address": &s.Address, "server": &s.Server, "joined": &s.Joined}
	said := []string{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		key, value, found := strings.Cut(line, "=")
		if fact := facts[key]; found && fact != nil {
			*fact = value
			continue
		}
		said = append(said, line)
	}
	s.Status = ParseStatus(strings.Join(said, "\n"))
	return s
}

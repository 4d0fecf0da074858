// Package raft reads what a host's server of an OVN database is in a cluster of servers: its
// file, by ovsdb-tool, and its state, by ovn-appctl.
package raft

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"regexp"
	"slices"
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

// Member is the status of a server that is in its cluster.
const Member = "cluster member"

// Status is what a server says of its cluster, by ovn-appctl cluster/status.
type Status struct {
	Cluster string // the cluster's id
	Status  string // "cluster member", "joining cluster", "leaving cluster", …
	Leader  string // the first digits of the leader's id, "self", or "unknown"
	Servers []Server
}

// Server is a server as another one lists it.
type Server struct {
	ID      string // the first digits of its id
	Address string
}

// IP is the address without the protocol and the port.
func (s Server) IP() string { return IP(s.Address) }

// IP returns the address in "ssl:192.0.2.1:6643".
func IP(address string) string {
	_, where, _ := strings.Cut(address, ":")
	host, _, err := net.SplitHostPort(where)
	if err != nil {
		return ""
	}
	return host
}

// Led reports whether the server is a member of a cluster that has a leader.
func (s Status) Led() bool {
	return s.Status == Member && s.Leader != "" && s.Leader != "unknown"
}

// Same reports whether an id has these first digits.
func Same(digits, id string) bool { return digits != "" && strings.HasPrefix(id, digits) }

var (
	clusterID = regexp.MustCompile(`\(([0-9a-f-]{36})\)`)
	server    = regexp.MustCompile(`^ +([0-9a-f]+) \([0-9a-f]+ at ([^ )]+)\)`)
)

// ParseStatus reads the output of cluster/status.
func ParseStatus(text string) Status {
	var s Status
	listed := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if found := server.FindStringSubmatch(line); listed && found != nil {
			s.Servers = append(s.Servers, Server{ID: found[1], Address: found[2]})
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Cluster ID":
			if found := clusterID.FindStringSubmatch(value); found != nil {
				s.Cluster = found[1]
			}
		case "Status":
			s.Status = value
		case "Leader":
			s.Leader = value
		case "Servers":
			listed = true
		}
	}
	slices.SortFunc(s.Servers, func(a, b Server) int { return strings.Compare(a.Address, b.Address) })
	return s
}

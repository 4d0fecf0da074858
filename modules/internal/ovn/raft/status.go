package raft

import (
	"net"
	"regexp"
	"slices"
	"strings"
)

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

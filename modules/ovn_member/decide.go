package ovnmember

import (
	"fmt"
	"slices"
	"strings"

	"kinit/modules/internal/ovn/raft"
)

// work is what a member needs.
type work int

const (
	nothing work = iota
	found        // makes a cluster of what the host has
	join         // gets its content from others
	again        // joins anew: the others do not have it any more
)

// decide compares the state with the arguments.
func (t *Task) decide(s raft.State) (work, error) {
	switch {
	case s.Kind != raft.Clustered && len(t.Join) == 0:
		return found, nil
	case s.Kind != raft.Clustered:
		return join, nil
	case t.Cluster != "" && s.Joined != "" && s.Joined != t.Cluster:
		return nothing, fmt.Errorf("the %s database is a member of another cluster of databases (%s, not %s); move %s away on this host if nobody needs it, and run again",
			t.Database, s.Joined, t.Cluster, t.database().File)
	case t.wasTakenOut(s):
		return again, nil
	case s.Address != t.Address:
		return nothing, fmt.Errorf("the %s database is a member with the address %s, and a member keeps its address: want %s. Take the host out of the cluster, and run again with it",
			t.Database, s.Address, t.Address)
	}
	return nothing, nil
}

// wasTakenOut reports whether the others do not know the member any more. They do not know yet who has still to join.
func (t *Task) wasTakenOut(s raft.State) bool {
	return s.Joined != "" && len(t.Servers) > 0 && len(t.Join) > 0 &&
		!slices.ContainsFunc(t.Servers, func(digits string) bool { return raft.Same(digits, s.Server) })
}

// text is the line of a dry run.
func (t *Task) text(w work) string {
	name := "the " + t.Database + " database of OVN"
	switch w {
	case found:
		return fmt.Sprintf("make %s the first member of a cluster, at %s", name, t.Address)
	case again:
		return fmt.Sprintf("let %s join %s anew, at %s", name, strings.Join(t.Join, " and "), t.Address)
	}
	return fmt.Sprintf("let %s join %s, at %s", name, strings.Join(t.Join, " and "), t.Address)
}

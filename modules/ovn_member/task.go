// Package ovnmember makes a host's OVN database a member of a cluster of databases: module
// ovn_member.
package ovnmember

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ovn/raft"
)

// Mark is the kind of the marks of databases that are members.
const Mark = "ovn_member"

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_member", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "member of OVN's databases", Undo, module.MarkTraits{
			Shared: true,
			Text:   func(mark module.Mark) string { return "make the " + mark.ID + " database of OVN standalone again" },
		}),
	}})
}

// Task makes the file of a host's OVN database that of a member of a cluster of servers (RAFT).
// Such a database goes on while more than half of the servers answer. The first member keeps
// what its own database has; the others get the content from those they join. The server has to be
// started afterwards, by the unit that the task stops before it replaces the file. When the cluster of
// kinit is removed, the member leaves the others and is standalone again.
//
// Errors:
//   - a server of the database runs that is not the unit's
//   - the database would join others, and has logical switches or routers of its own
//   - the database is a member of another cluster of servers, or has another address there
type Task struct {
	// Database is the database.
	Database string `hcl:"database" enum:"northbound,southbound"`
	// Address is where other members reach this one, such as "ssl:192.0.2.1:6643".
	Address string `hcl:"address"`
	// Join are the addresses of members that this one joins. Empty (default) makes a cluster of
	// one member, of what the host's database has.
	Join []string `hcl:"join,optional"`
	// Cluster is the id of the cluster to join, as the output cluster of ovn_leave returns it. A
	// database of another one is not given up. Default none.
	Cluster string `hcl:"cluster,optional"`
	// Servers are the first digits of the ids of the cluster's servers, as the output servers of
	// ovn_leave returns them. A member that is not among them was taken out, and joins again. Default: not checked.
	Servers []string `hcl:"servers,optional"`
	// Unit is the unit of systemd that serves the member, once it is started.
	Unit string `hcl:"unit"`
	// Election is how long members wait for their leader before they elect another one, such as
	// "4s". The first member decides.
	Election module.Duration `hcl:"election,optional" default:"4s" like:"4s"`
}

func (t *Task) Validate() error {
	for _, address := range append([]string{t.Address}, t.Join...) {
		kind, where, _ := strings.Cut(address, ":")
		if _, _, err := net.SplitHostPort(where); err != nil || kind != "ssl" && kind != "tcp" {
			return fmt.Errorf("%q is no address of a member, want one such as \"ssl:192.0.2.1:6643\"", address)
		}
	}
	if slices.Contains(t.Join, t.Address) {
		return fmt.Errorf("join has the member's own address %s", t.Address)
	}
	if t.Unit == "" {
		return errors.New("unit is empty, want the unit that serves the member")
	}
	return nil
}

// database is the one of the argument, which is one of its words.
func (t *Task) database() raft.Database {
	db, _ := raft.Find(t.Database)
	return db
}

type Outputs struct {
	Servers []string `cty:"servers"` // the addresses of the cluster's members, this one among them
}

// Outputs reads which members there are.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	state, err := raft.Read(ctx, h, t.database())
	if err != nil {
		return Outputs{}, err
	}
	values := Outputs{}
	for _, one := range state.Servers {
		values.Servers = append(values.Servers, one.Address)
	}
	return values, nil
}

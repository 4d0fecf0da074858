// Package ovnleave takes members out of the clusters of OVN's databases: module ovn_leave.
package ovnleave

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/poll"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_leave"})
}

// Task takes members out of the clusters of OVN's databases. They are those of hosts that the
// cluster of kinit had and has no more, and those that hosts had before their files were lost.
// The host runs a member that stays. The northbound database records which hosts each cluster of kinit wants, so a
// member that another one still wants remains.
//
// Errors:
//   - the host's database is no member, or does not answer
//   - more than half of the members do not answer, so no member can be removed
type Task struct {
	// Northbound are the hosts whose northbound databases are to be members: the address by which other
	// members reach each, without protocol and port, with the id of the server in the host's file. The id is empty
	// if the host has no file of a member.
	Northbound map[string]string `hcl:"northbound"`
	// Southbound are the same for the southbound databases.
	Southbound map[string]string `hcl:"southbound"`
	// Wait is how long a member can take to leave, such as "1m".
	Wait module.Duration `hcl:"wait,optional" default:"1m" like:"1m"`
}

// members are the hosts of a database, with the ids of their servers.
func (t *Task) members(db raft.Database) map[string]string {
	if db.Word == "northbound" {
		return t.Northbound
	}
	return t.Southbound
}

func (t *Task) Validate() error {
	if len(t.Northbound) == 0 {
		return errors.New("northbound is empty, want at least the host itself")
	}
	for address := range t.Northbound {
		if _, err := netip.ParseAddr(address); err != nil {
			return fmt.Errorf("northbound: %q is no address, want one such as \"192.0.2.1\"", address)
		}
	}
	if !slices.Equal(t.hosts(), slices.Sorted(maps.Keys(t.Southbound))) {
		return errors.New("northbound and southbound have different hosts; a host has both databases")
	}
	return nil
}

// hosts are the addresses of the members.
func (t *Task) hosts() []string { return slices.Sorted(maps.Keys(t.Northbound)) }

// leaving lists the servers of a database that are to be taken out. own is what the cluster of
// kinit wanted before, and others what other clusters want.
func (t *Task) leaving(db raft.Database, servers []raft.Server, own, others []string) []raft.Server {
	var all []raft.Server
	for _, one := range servers {
		id, wanted := t.members(db)[one.IP()]
		switch {
		case wanted && raft.Same(one.ID, id):
		case wanted: // the host has lost this server's file
			all = append(all, one)
		case slices.Contains(own, one.IP()) && !slices.Contains(others, one.IP()):
			all = append(all, one)
		}
	}
	return all
}

// Plan lists the members that are to be taken out, and records those that are wanted.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	rows, err := ovn.Load[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return nil, err
	}
	owner := ownership.Signature(h)
	own, others := ovn.Wanted(rows.Global(), owner)
	var steps []module.Step
	for _, db := range raft.Databases() {
		s, err := t.state(ctx, h, db)
		if err != nil {
			return nil, err
		}
		for _, one := range t.leaving(db, s.Servers, own, others) {
			steps = append(steps, module.NewStep(fmt.Sprintf("take %s (%s) out of OVN's %s database", one.Address, one.ID, db.Word), func(ctx context.Context, h module.Host) error {
				return t.kick(ctx, h, db, one)
			}))
		}
	}
	// The record comes last: until then, the next run takes out the same members.
	want := func(rows nb.Rows, owner string) (ovn.Change, error) { return ovn.Want(rows, owner, t.hosts()), nil }
	if change, _ := want(rows, owner); !change.Empty() {
		steps = append(steps, module.NewStep(change.Text, func(ctx context.Context, h module.Host) error {
			if err := ovn.MakeGlobal(ctx, h); err != nil {
				return err
			}
			return ovn.Do(ctx, h, ovn.Northbound(), want)
		}))
	}
	return steps, nil
}

// state returns what the host's own server says.
func (t *Task) state(ctx context.Context, h module.Host, db raft.Database) (raft.State, error) {
	s, err := raft.Read(ctx, h, db)
	switch {
	case err != nil:
		return s, err
	case s.Kind != raft.Clustered:
		return s, fmt.Errorf("the %s database on %s is no member of a cluster of databases", db.Word, h.Name())
	case s.Status.Status == "":
		return s, fmt.Errorf("the server of the %s database on %s does not answer: start it", db.Word, h.Name())
	}
	return s, nil
}

// kick takes a member out and waits until it is.
func (t *Task) kick(ctx context.Context, h module.Host, db raft.Database, one raft.Server) error {
	asked := false
	err := poll.Until(ctx, h, poll.Wait{For: "OVN's " + db.Word + " database without " + one.Address, Within: t.Wait.Time()}, func(ctx context.Context) (bool, string, error) {
		s, err := t.state(ctx, h, db)
		if err != nil {
			return false, "", err
		}
		if !slices.Contains(s.Servers, one) {
			return true, "", nil
		}
		if !s.Led() {
			return false, "it has no leader, as more than half of its members do not answer", nil
		}
		if !asked {
			if _, err := h.Run(ctx, module.Command{Argv: []string{"ovn-appctl", "--timeout=20", "-t", db.Control(), "cluster/kick", db.Name, one.ID}}); err != nil {
				return false, err.Error(), nil
			}
			asked = true
		}
		return false, "it is still a member", nil
	})
	if err != nil {
		return fmt.Errorf("take %s out of OVN's %s database: %w", one.Address, db.Word, err)
	}
	return nil
}

type Outputs struct {
	Northbound Cluster `cty:"northbound"` // the members of the northbound database
	Southbound Cluster `cty:"southbound"` // the members of the southbound database
}

// Cluster is the members of a database.
type Cluster struct {
	ID        string   `cty:"id"`        // the cluster's id
	Servers   []string `cty:"servers"`   // the first digits of the members' ids
	Addresses []string `cty:"addresses"` // the members' addresses, without protocol and port
}

// Outputs reads which members there are.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	var values Outputs
	for _, db := range raft.Databases() {
		s, err := raft.Read(ctx, h, db)
		if err != nil {
			return Outputs{}, err
		}
		c := Cluster{ID: s.Cluster, Servers: []string{}, Addresses: []string{}}
		for _, one := range s.Servers {
			c.Servers, c.Addresses = append(c.Servers, one.ID), append(c.Addresses, one.IP())
		}
		if db.Word == "northbound" {
			values.Northbound = c
		} else {
			values.Southbound = c
		}
	}
	return values, nil
}

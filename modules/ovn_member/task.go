// Package ovnmember makes a host's OVN database a member of a cluster of databases: module
// ovn_member.
package ovnmember

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/ownership"
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

//go:embed scripts/make.sh
var makeScript string

//go:embed scripts/own.sh
var ownScript string

//go:embed scripts/undo.sh
var undoScript string

// work is what a member needs.
type work int

const (
	nothing work = iota
	found        // makes a cluster of what the host has
	join         // gets its content from others
	again        // joins again: the others do not have it any more
)

// decide compares the state with the arguments.
func (t *Task) decide(s raft.State) (work, error) {
	switch {
	case s.Kind != raft.Clustered && len(t.Join) == 0:
		return found, nil
	case s.Kind != raft.Clustered:
		return join, nil
	case t.Cluster != "" && s.Joined != "" && s.Joined != t.Cluster:
		return nothing, fmt.Errorf("the %s database is a member of another cluster of databases (%s, not %s); move %s away on this host if nothing needs it, and run again",
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
		return fmt.Sprintf("let %s rejoin %s at %s", name, strings.Join(t.Join, " and "), t.Address)
	}
	return fmt.Sprintf("let %s join %s, at %s", name, strings.Join(t.Join, " and "), t.Address)
}

// Plan compares the database's file, and what its server says, with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	w, err := t.look(ctx, h)
	if err != nil || w == nothing {
		return nil, err
	}
	return module.OneStep(t.text(w), t.make), nil
}

// look reads the state and decides.
func (t *Task) look(ctx context.Context, h module.Host) (work, error) {
	s, err := raft.Read(ctx, h, t.database())
	if err != nil {
		return nothing, err
	}
	w, err := t.decide(s)
	if err == nil && w == join && s.Kind == raft.Standalone {
		err = t.ownContent(ctx, h)
	}
	return w, err
}

// ownContent returns an error if a standalone database has what joining would give up. The
// southbound one has nothing that does not follow from the northbound one.
func (t *Task) ownContent(ctx context.Context, h module.Host) error {
	if t.Database != "northbound" {
		return nil
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", ownScript, "ovn-own", t.database().File}, Name: "look into " + t.database().File})
	if err != nil {
		return fmt.Errorf("look into %s on %s: %w", t.database().File, h.Name(), err)
	}
	if names := strings.Fields(out.Stdout); len(names) > 0 {
		return fmt.Errorf("OVN's northbound database on %s has logical switches and routers of its own, which would be lost if it joined the others: %s. Remove them with ovn-nbctl, or take another hypervisor",
			h.Name(), strings.Join(names, ", "))
	}
	return nil
}

// make decides again, and replaces the database's file by that of a member.
func (t *Task) make(ctx context.Context, h module.Host) error {
	w, err := t.look(ctx, h)
	if err != nil || w == nothing {
		return err
	}
	db := t.database()
	if err := ownership.Keep(ctx, h, Mark, t.Database, former{Unit: t.Unit, Founder: w == found}); err != nil {
		return err
	}
	election := strconv.FormatInt(t.Election.Time().Milliseconds(), 10)
	argv := append([]string{"sh", "-c", makeScript, "ovn-member", db.File, db.Process(), db.Schema, db.Name, t.Unit, election, t.Address}, t.Join...)
	if _, err := h.Run(ctx, module.Command{Argv: argv, Name: "make " + db.File}); err != nil {
		return fmt.Errorf("%s: %w", t.text(w), err)
	}
	return nil
}

// former is the data in the marks of members.
type former struct {
	Unit    string `json:"unit"`
	Founder bool   `json:"founder"` // its content was the host's own
}

// Undo takes the member out of its cluster and makes it standalone again. What the first member has
// stays; the others get back what they had before.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	var was former
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil {
		return fmt.Errorf("the mark does not say how it was: %w", err)
	}
	db, found := raft.Find(mark.ID)
	if !found {
		return fmt.Errorf("OVN has no database %q", mark.ID)
	}
	founder := ""
	if was.Founder {
		founder = "founder"
	}
	_, err := h.Run(ctx, module.Command{
		Argv: []string{"sh", "-c", undoScript, "ovn-undo", db.File, db.Control(), db.Name, was.Unit, founder},
		Name: "make " + db.File + " standalone",
	})
	return err
}

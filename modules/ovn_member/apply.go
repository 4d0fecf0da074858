package ovnmember

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/ownership"
)

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

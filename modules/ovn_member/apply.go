package ovnmember

import (
	"context"
	_ "embed"
	"fmt"
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

// Plan compares the database's file, and what its server says, with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := raft.Read(ctx, h, t.database())
	if err != nil {
		return nil, err
	}
	w, err := t.decide(s)
	if err != nil || w == nothing {
		return nil, err
	}
	if w == join && s.Kind == raft.Standalone {
		if err := t.ownContent(ctx, h); err != nil {
			return nil, err
		}
	}
	return module.OneStep(t.text(w), t.apply), nil
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

// apply decides again and does the work.
func (t *Task) apply(ctx context.Context, h module.Host) error {
	s, err := raft.Read(ctx, h, t.database())
	if err != nil {
		return err
	}
	w, err := t.decide(s)
	if err != nil || w == nothing {
		return err
	}
	return t.make(ctx, h, w, s)
}

// make replaces the database's file by that of a member.
func (t *Task) make(ctx context.Context, h module.Host, w work, s raft.State) error {
	if w == join && s.Kind == raft.Standalone {
		if err := t.ownContent(ctx, h); err != nil {
			return err
		}
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

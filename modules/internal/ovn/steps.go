package ovn

import (
	"cmp"
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// attempts is how often a step decides again because another client was faster.
const attempts = 5

// Change is a module's decision from the rows it read. Without edits there is
// nothing to do.
type Change struct {
	Text  string // the dry-run line, with further lines below
	Edits []Edit
	// Blocked is why the change is impossible at present, though an earlier task
	// can still make it possible: a port whose switch does not exist yet.
	Blocked error
}

// Empty reports whether there is nothing to do.
func (c Change) Empty() bool { return len(c.Edits) == 0 && c.Blocked == nil }

// Decision computes a change from the rows of a database, such as nb.Rows, for an owner.
type Decision[R any] func(rows R, owner string) (Change, error)

// Plan reads a database and returns the step for the decision's change. When the step runs, it
// reads and decides again, so that it is right after an interruption and beside other clients.
func Plan[R any](ctx context.Context, h module.Host, db Database, decide Decision[R]) ([]module.Step, error) {
	rows, err := Read[R](ctx, h, db)
	if err != nil {
		return nil, err
	}
	change, err := decide(rows, ownership.Signature(h))
	if err != nil || change.Empty() {
		return nil, err
	}
	return module.OneStep(change.Text, func(ctx context.Context, h module.Host) error {
		return Do(ctx, h, db, decide)
	}), nil
}

// PlanPresence plans the decision for an object that should be there, or for one that
// should not.
func PlanPresence[R any](ctx context.Context, h module.Host, db Database, want module.Presence, present, absent Decision[R]) ([]module.Step, error) {
	if want.Absent() {
		return PlanAbsent(ctx, h, db, absent)
	}
	return Plan(ctx, h, db, present)
}

// PlanAbsent is Plan for removing: if no database runs, there is nothing to
// remove.
func PlanAbsent[R any](ctx context.Context, h module.Host, db Database, decide Decision[R]) ([]module.Step, error) {
	there, err := Running(ctx, h, db)
	if err != nil || !there {
		return nil, err
	}
	return Plan(ctx, h, db, decide)
}

// Do reads a database, decides and commits in one transaction.
func Do[R any](ctx context.Context, h module.Host, db Database, decide Decision[R]) error {
	for attempt := 1; ; attempt++ {
		err := attemptOnce(ctx, h, db, decide)
		if !errors.Is(err, errRace) || attempt == attempts {
			return err
		}
	}
}

func attemptOnce[R any](ctx context.Context, h module.Host, db Database, decide Decision[R]) error {
	s, err := Open(ctx, h, db)
	if err != nil {
		return err
	}
	defer s.Close()
	var rows R
	if err := s.Read(ctx, &rows); err != nil {
		return err
	}
	change, err := decide(rows, ownership.Signature(h))
	if err := cmp.Or(err, change.Blocked); err != nil {
		return err
	}
	return s.Commit(ctx, change.Edits...)
}

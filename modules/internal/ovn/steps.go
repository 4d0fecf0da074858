package ovn

import (
	"context"
	"errors"

	"kinit/engine/module"
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

// Plan reads a database into R, such as nb.Rows, and returns the step for decide's
// change. When the step runs, it reads and decides again, so that it is right
// after an interruption and beside other clients.
func Plan[R any](ctx context.Context, h module.Host, db Database, decide func(R) (Change, error)) ([]module.Step, error) {
	s, err := Open(ctx, h, db)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	change, err := decideFrom(ctx, s, decide)
	if err != nil || change.Empty() {
		return nil, err
	}
	return module.OneStep(change.Text, func(ctx context.Context, h module.Host) error {
		return Do(ctx, h, db, decide)
	}), nil
}

// PlanAbsent is Plan for removing: if no database runs, there is nothing to
// remove.
func PlanAbsent[R any](ctx context.Context, h module.Host, db Database, decide func(R) (Change, error)) ([]module.Step, error) {
	there, err := Running(ctx, h, db)
	if err != nil || !there {
		return nil, err
	}
	return Plan(ctx, h, db, decide)
}

// Do reads a database, decides and commits in one transaction.
func Do[R any](ctx context.Context, h module.Host, db Database, decide func(R) (Change, error)) error {
	for attempt := 1; ; attempt++ {
		err := attemptOnce(ctx, h, db, decide)
		if !errors.Is(err, errRace) || attempt == attempts {
			return err
		}
	}
}

func attemptOnce[R any](ctx context.Context, h module.Host, db Database, decide func(R) (Change, error)) error {
	s, err := Open(ctx, h, db)
	if err != nil {
		return err
	}
	defer s.Close()
	change, err := decideFrom(ctx, s, decide)
	if err != nil {
		return err
	}
	if change.Blocked != nil {
		return change.Blocked
	}
	return s.Commit(ctx, change.Edits...)
}

func decideFrom[R any](ctx context.Context, s *Session, decide func(R) (Change, error)) (Change, error) {
	var rows R
	if err := s.Read(ctx, &rows); err != nil {
		return Change{}, err
	}
	return decide(rows)
}

// The values of the argument state.
const (
	Present = "present"
	Absent  = "absent"
)

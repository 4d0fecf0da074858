package ovn

import (
	"context"
	"errors"
	"fmt"

	"kinit/engine/module"
)

// attempts is how often a step decides anew when another client was faster.
const attempts = 5

// Change is what a module decides from the rows it read. Without edits there is
// nothing to do.
type Change struct {
	Text  string // the dry-run line, with further lines below
	Edits []Edit
	// Blocked says why it cannot be done as things are now, though an earlier task
	// may bring that about: a port whose switch is not there yet.
	Blocked error
}

// Empty tells whether there is nothing to do.
func (c Change) Empty() bool { return len(c.Edits) == 0 && c.Blocked == nil }

// Plan reads a database into R, such as nb.Rows, and returns the step that decide
// asks for. When the step is done it reads and decides again, so that it is right
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
	return []module.Step{module.NewStep(change.Text, func(ctx context.Context, h module.Host) error {
		return Do(ctx, h, db, decide)
	})}, nil
}

// PlanAbsent is Plan for removing: where no database runs, there is nothing to
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

// CheckState tells whether state has one of its two values.
func CheckState(state string) error {
	if state != Present && state != Absent {
		return fmt.Errorf("state is %q, want %q or %q", state, Present, Absent)
	}
	return nil
}

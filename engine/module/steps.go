package module

import "context"

// Exec runs a program on a host for its effect alone.
func Exec(ctx context.Context, h Host, argv ...string) error {
	_, err := h.Run(ctx, Command{Argv: argv})
	return err
}

// DoAll makes the changes of steps, in order; the first error ends it.
func DoAll(ctx context.Context, h Host, steps []Step) error {
	for _, step := range steps {
		if err := step.Do(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// Planner is the signature of Plan.
type Planner func(ctx context.Context, h Host) ([]Step, error)

// PlanAll joins plans, in order. Nil ones are left out.
func PlanAll(ctx context.Context, h Host, plans ...Planner) ([]Step, error) {
	var all []Step
	for _, plan := range plans {
		if plan == nil {
			continue
		}
		steps, err := plan(ctx, h)
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}

// Around returns the plan of the same steps, which do makes.
func Around(plan Planner, do func(ctx context.Context, h Host, step Step) error) Planner {
	return func(ctx context.Context, h Host) ([]Step, error) {
		steps, err := plan(ctx, h)
		for i, step := range steps {
			steps[i] = NewStep(step.String(), func(ctx context.Context, h Host) error { return do(ctx, h, step) })
		}
		return steps, err
	}
}

// Facts is embedded in the tasks that only read: they have outputs, and nothing to do.
type Facts struct{}

// Plan returns no step.
func (Facts) Plan(ctx context.Context, _ Host) ([]Step, error) { return nil, ctx.Err() }

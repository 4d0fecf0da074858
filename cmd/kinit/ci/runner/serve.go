package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
)

// Serve runs jobs when they are due, until ctx ends, and then waits for active ones. A
// job never runs twice at the same time, and jobs that share a host run one after another.
// Only the record of a job's last run persists between two programs: a time that was missed
// while no program served is made up for, once. sleep waits until a time
// or until ctx ends.
func (r *Runner) Serve(ctx context.Context, list []jobs.Job, sleep func(ctx context.Context, until time.Time) error) {
	var workers sync.WaitGroup
	for _, j := range list {
		if j.Schedule == nil {
			r.Progress.Notice(j, "has no schedule, so it is run on demand only")
			continue
		}
		workers.Go(func() { r.attend(ctx, j, sleep) })
	}
	workers.Wait()
}

// attend runs one job whenever it is due.
func (r *Runner) attend(ctx context.Context, j jobs.Job, sleep func(context.Context, time.Time) error) {
	began := r.Now()
	var tried time.Time // even a run that left no record is not tried again before its time
	for ctx.Err() == nil {
		due, err := r.due(j, began, tried)
		if err != nil {
			r.Progress.Notice(j, err.Error())
			due = j.Schedule.Next(r.Now())
		}
		r.Progress.Notice(j, dueText(due, r.Now()))
		if sleep(ctx, due) != nil {
			return
		}
		err = r.alone(ctx, j, func() error {
			due, err := r.due(j, began, tried)
			if err == nil && !due.After(r.Now()) { // else another program ran it while this one waited for its hosts
				_, err = r.Run(ctx, j)
			}
			return err
		})
		if err != nil && ctx.Err() == nil {
			r.Progress.Notice(j, err.Error())
		}
		tried = r.Now()
	}
}

func dueText(due, now time.Time) string {
	at := due.Format("Monday, 2 January 2006, 15:04 MST")
	if due.After(now) {
		return "is due " + at
	}
	return "was due " + at + ", so it runs now"
}

// due returns the job's next time: the first time of its schedule after its last run,
// or, without one, after the program began. It is in the past if it was missed.
func (r *Runner) due(j jobs.Job, began, tried time.Time) (time.Time, error) {
	all, err := result.List(r.Results, j.Address())
	if err != nil {
		return time.Time{}, err
	}
	last := began
	if len(all) > 0 {
		last = all[0].Header.Started
	}
	return j.Schedule.Next(slices.MaxFunc([]time.Time{last, tried}, time.Time.Compare)), nil
}

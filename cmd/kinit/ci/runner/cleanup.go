package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
)

// cleanup removes the deployment in every case: it has a separate time limit,
// and a signal that ended the job does not end it. The first failure remains the job's reason.
func (e *execution) cleanup(ctx context.Context, attempt int) {
	done, late := e.remove(ctx, attempt)
	if done.OK || e.failure != nil {
		return
	}
	switch {
	case late:
		e.failure = slow(done, e.job.CleanupTimeout)
	case done.Report.Diagnostics.HasErrors():
		e.failure = e.blamed(done)
	default:
		e.failure = failed(result.Failed, done, "Clean-up left something behind",
			"After the clean-up there are still objects that are marked as the deployment's.")
	}
	e.keep(done, true)
}

// remove runs the phase that removes, within its own time limit.
func (e *execution) remove(ctx context.Context, attempt int) (done *phase, late bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.job.CleanupTimeout)
	defer cancel()
	o := e.options
	o.StopAfter = e.job.Cleanup
	done = e.phase(ctx, result.Cleanup, attempt, o)
	return done, ctx.Err() != nil
}

// orphans returns the earlier runs of a job that may have left something behind, including
// those under its earlier addresses with another schedule.
func (r *Runner) orphans(j jobs.Job) ([]*result.Result, error) {
	if j.Backup != nil {
		return nil, nil // it must never remove the cluster
	}
	addresses, err := result.Jobs(r.Results)
	if err != nil {
		return nil, err
	}
	var found []*result.Result
	for _, address := range addresses {
		if !strings.HasPrefix(address, j.Name+"-") {
			continue
		}
		all, err := result.List(r.Results, address)
		if err != nil {
			return nil, err
		}
		for _, old := range all {
			if old.Header.Name == j.Name && old.Orphaned() {
				found = append(found, old)
			}
		}
	}
	return found, nil
}

// settle removes the leftovers of earlier runs before a new deployment.
func (e *execution) settle(ctx context.Context, orphans []*result.Result) bool {
	if len(orphans) == 0 {
		return true
	}
	e.Progress.Notice(e.job, fmt.Sprintf("first removes what the run of %s left behind", orphans[0].Header.Started.UTC().Format("2006-01-02 15:04 UTC")))
	done, _ := e.remove(ctx, 1)
	if !done.OK {
		e.failure = e.blamed(done)
		return false
	}
	e.note(settled(context.WithoutCancel(ctx), orphans, e.Now()))
	return true
}

func settled(ctx context.Context, orphans []*result.Result, now time.Time) error {
	for _, old := range orphans {
		if err := result.Settle(ctx, old.Folder, result.Settled{Time: now}); err != nil {
			return err
		}
	}
	return nil
}

// Recover removes the deployments of a job's runs whose programs died, so that hosts are
// free before a new deployment. It does nothing if there are none; if it fails, the job's
// next run tries again before it deploys.
func (r *Runner) Recover(ctx context.Context, j jobs.Job) error {
	orphans, err := r.orphans(j)
	if err != nil || len(orphans) == 0 {
		return err
	}
	options, err := r.Options(j)
	if err != nil {
		return err
	}
	e := &execution{Runner: r, job: j, options: options}
	e.settle(ctx, orphans)
	return errors.Join(e.errs...)
}

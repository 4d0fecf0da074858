package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
)

// cleanup removes the deployment in every case: it has a separate time limit,
// and a signal that ended the job does not end it. The first failure remains the job's reason.
func (e *execution) cleanup(ctx context.Context, attempt int) {
	if e.refused() {
		e.leaveAlone(attempt)
		return
	}
	done, late := e.remove(ctx, attempt)
	if done.OK || e.failure != nil {
		return
	}
	e.failure = e.unclean(done, late)
	e.keep(done, true)
}

// unclean is the failure of a clean-up. One without an error has left objects.
func (e *execution) unclean(done *phase, late bool) *failure {
	switch {
	case late:
		return slow(done, e.job.CleanupTimeout)
	case done.Report.Diagnostics.HasErrors():
		return e.blamed(done)
	}
	return failed(result.Failed, done, "Clean-up left something behind",
		"After the clean-up there are still objects that are marked as the deployment's.")
}

// remove runs the phase that removes, within its own time limit.
func (e *execution) remove(ctx context.Context, attempt int) (done *phase, late bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.job.CleanupTimeout)
	defer cancel()
	o := e.options
	o.StopAfter, o.CleansUp = e.job.Cleanup, true
	done = e.phase(ctx, result.Cleanup, attempt, o)
	return done, ctx.Err() != nil
}

// orphans returns those of a job's earlier runs that may have left something behind.
func orphans(earlier []*result.Result) []*result.Result {
	return slices.DeleteFunc(slices.Clone(earlier), func(r *result.Result) bool { return !r.Orphaned() })
}

// settle removes the leftovers of earlier runs before a new deployment.
func (e *execution) settle(ctx context.Context, orphans []*result.Result) bool {
	if len(orphans) == 0 {
		return true
	}
	e.Progress.Notice(e.job, fmt.Sprintf("first removes what the run of %s left behind", orphans[0].Header.Started.UTC().Format("2006-01-02 15:04 UTC")))
	done, late := e.remove(ctx, 1)
	if !done.OK {
		e.failure = e.unclean(done, late)
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
	if j.Backup != nil {
		return nil // it must never remove the cluster
	}
	earlier, err := r.earlier(j.Name)
	left := orphans(earlier)
	if err != nil || len(left) == 0 {
		return err
	}
	options, err := r.Options(j)
	if err != nil {
		return err
	}
	e := &execution{Runner: r, job: j, options: own(options, j.Name, left[0].Folder, earlier)}
	e.settle(ctx, left)
	return errors.Join(e.errs...)
}

package runner

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/engine/filelock"
)

// Done is a job of a list with its outcome.
type Done struct {
	Job    jobs.Job
	Result *result.Result // nil if the job did not begin
	Err    error          // of the record, or why the job did not begin
}

// All runs jobs: those that share a host one after another in their order, all others at
// the same time. It first removes the deployments that dead runs of all jobs left, so that
// they do not affect new ones. Jobs that have not begun when ctx ends are skipped.
func (r *Runner) All(ctx context.Context, list, all []jobs.Job) []Done {
	r.RecoverAll(ctx, all)
	done := make([]Done, len(list))
	ended := make([]chan struct{}, len(list))
	hosts := make([][]string, len(list))
	var workers sync.WaitGroup
	for i, j := range list {
		ended[i], hosts[i], done[i].Job = make(chan struct{}), r.hosts(ctx, j), j
		var before []chan struct{}
		for k := range i {
			if slices.ContainsFunc(hosts[i], func(host string) bool { return slices.Contains(hosts[k], host) }) {
				before = append(before, ended[k])
			}
		}
		workers.Go(func() {
			defer close(ended[i])
			for _, other := range before {
				<-other
			}
			done[i].Err = r.alone(ctx, j, func() (err error) {
				done[i].Result, err = r.Run(ctx, j)
				return err
			})
		})
	}
	workers.Wait()
	return done
}

// RecoverAll removes the deployments of runs whose programs died.
func (r *Runner) RecoverAll(ctx context.Context, all []jobs.Job) {
	for _, j := range all {
		if j.Backup != nil {
			continue
		}
		earlier, err := r.earlier(j.Name)
		if err == nil && len(orphans(earlier)) > 0 {
			err = r.alone(ctx, j, func() error { return r.Recover(ctx, j) })
		}
		if err != nil && ctx.Err() == nil {
			r.Progress.Notice(j, "what an earlier run left behind could not be removed: "+err.Error())
		}
	}
}

// hosts returns the machines that a job works on, sorted. If that fails, the job fails
// with the reason when it runs; until then the given names are used.
func (r *Runner) hosts(ctx context.Context, j jobs.Job) []string {
	names := slices.Clone(j.Hosts)
	if o, err := r.Options(j); err == nil {
		if found := r.Hosts(ctx, o); len(found) > 0 {
			names = found
		}
	}
	if len(names) == 0 { // a playbook without hosts works here
		names = []string{"localhost"}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// locksFolder is the folder of the hosts' locks in the folder of results.
const locksFolder = ".hosts"

// alone calls f while no other program with the same folder of results works on
// the job's hosts. Locks are taken in the order of their names, which prevents
// deadlocks.
func (r *Runner) alone(ctx context.Context, j jobs.Job, f func() error) (err error) {
	for _, host := range r.hosts(ctx, j) {
		file := strings.NewReplacer("/", "_", "\x00", "_").Replace(host) + ".lock"
		release, err := filelock.Wait(ctx, filepath.Join(r.Results, locksFolder, file), func() { r.Progress.Waits(j, host) })
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, release()) }()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return f()
}

package cycle

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/engine/filelock"
)

// Done is a job of a list and what it came to.
type Done struct {
	Job    jobs.Job
	Result *result.Result // nil when the job was not begun
	Err    error          // of the record, or why the job was not begun
}

// All runs jobs: those that share a host one after another in their order, all others at
// the same time. First what runs that died left behind is removed, of every job in all,
// so that nothing new meets it. Jobs that were not begun when ctx ends are not.
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
			if shared(hosts[i], hosts[k]) {
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

// RecoverAll removes what runs of jobs left behind whose programs died.
func (r *Runner) RecoverAll(ctx context.Context, all []jobs.Job) {
	for _, j := range all {
		orphans, err := r.orphans(j)
		if err == nil && len(orphans) > 0 {
			err = r.alone(ctx, j, func() error { return r.Recover(ctx, j) })
		}
		if err != nil && ctx.Err() == nil {
			r.Tell.Notice(j, "what an earlier run left behind could not be removed: "+err.Error())
		}
	}
}

func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(host string) bool { return slices.Contains(b, host) })
}

// hosts are the machines a job works on, sorted. Where they cannot be told, the job fails
// with the reason when it is run; until then the names that were given must do.
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

// locksFolder is where the locks of hosts stand in the folder of results.
const locksFolder = ".hosts"

// alone calls f while no other program that keeps its results in the same folder works on
// the job's hosts. Locks are taken in the order of their names, so that no two wait for
// each other.
func (r *Runner) alone(ctx context.Context, j jobs.Job, f func() error) (err error) {
	for _, host := range r.hosts(ctx, j) {
		release, err := filelock.Wait(ctx, filepath.Join(r.Results, locksFolder, lockName(host)), func() { r.Tell.Waits(j, host) })
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

// lockName makes a host's name or address fit for the name of a file.
func lockName(host string) string {
	name := []byte(host)
	for i, b := range name {
		if b == '/' || b == 0 {
			name[i] = '_'
		}
	}
	return string(name) + ".lock"
}

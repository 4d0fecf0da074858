package runner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine"
	"kinit/engine/diag"
)

// instancesFolder is the folder beside a record with the instances that the run made or adopted. The engine
// writes each before the run's first object on a host, so a killed run has them too.
const instancesFolder = "instances"

// own limits the engine to what the job's runs have made. current is the folder of the run, and earlier has the
// other runs of the job. A job that backs up works on any existing cluster.
func own(o engine.Options, name, current string, earlier []*result.Result) engine.Options {
	o.Job = engine.Job{Name: name, Folder: filepath.Join(current, instancesFolder)}
	for _, r := range earlier {
		o.Job.Earlier = append(o.Job.Earlier, filepath.Join(r.Folder, instancesFolder))
	}
	return o
}

// earlier returns all runs of a job in the results, including those under its earlier addresses with another
// schedule.
func (r *Runner) earlier(name string) ([]*result.Result, error) {
	addresses, err := result.Jobs(r.Results)
	if err != nil {
		return nil, err
	}
	var found []*result.Result
	for _, address := range addresses {
		if !strings.HasPrefix(address, name+"-") {
			continue
		}
		all, err := result.List(r.Results, address)
		if err != nil {
			return nil, err
		}
		for _, old := range all {
			if old.Header.Name == name {
				found = append(found, old)
			}
		}
	}
	return found, nil
}

// refused reports whether the deployment was refused because the name is taken, before the run made anything.
func (e *execution) refused() bool {
	if e.failure == nil || e.failure.at == nil || e.failure.at.name != result.Deploy || !taken(e.failure.at.Report) {
		return false
	}
	made, err := os.ReadDir(e.options.Job.Folder)
	return errors.Is(err, os.ErrNotExist) || err == nil && len(made) == 0
}

func taken(r *engine.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return errors.Is(d.Cause, engine.ErrTaken) })
}

// leaveAlone records that there is nothing of the run to remove.
func (e *execution) leaveAlone(attempt int) {
	now, none := e.Now(), 0
	p := result.Phase{Name: result.Cleanup, Attempt: attempt, Started: now}
	e.begin(p)
	p.Ended, p.OK, p.Skipped, p.Leftovers, p.Note = e.Now(), true, true, &none, "not done: the run has made nothing"
	e.finish(p)
}

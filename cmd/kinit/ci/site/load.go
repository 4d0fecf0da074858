package site

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kinit/cmd/kinit/ci/result"
)

// job is a job with all its results, the newest first.
type job struct {
	Address string
	Name    string
	Runs    []*result.Result
	Status  status
	seen    map[string]*sightings // by signature
}

// sightings are how often failures of one kind were seen.
type sightings struct {
	Times int
	First time.Time
}

// load reads all results, sorted by what needs somebody's eyes first.
func load(dir string, now time.Time) ([]*job, error) {
	addresses, err := result.Jobs(dir)
	if err != nil {
		return nil, err
	}
	var all []*job
	for _, address := range addresses {
		runs, err := result.List(dir, address)
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			continue
		}
		j := &job{Address: address, Name: runs[0].Header.Name, Runs: runs, seen: seen(runs)}
		j.Status = newStatus(runs, now)
		all = append(all, j)
	}
	slices.SortStableFunc(all, func(a, b *job) int {
		return cmp.Or(a.Status.rank()-b.Status.rank(), strings.Compare(a.Address, b.Address))
	})
	return all, nil
}

func seen(runs []*result.Result) map[string]*sightings {
	all := map[string]*sightings{}
	for _, r := range slices.Backward(runs) {
		if r.End == nil || r.End.Error == nil {
			continue
		}
		s := all[r.End.Error.Signature]
		if s == nil {
			s = &sightings{First: r.Header.Started}
			all[r.End.Error.Signature] = s
		}
		s.Times++
	}
	return all
}

// shown is the run whose error the job's page shows: the newest that did not pass. It is
// nil when all did.
func (j *job) shown() *result.Result {
	for _, r := range j.Runs {
		if v := r.Verdict(); v != result.Passed && v != result.Running {
			return r
		}
	}
	return nil
}

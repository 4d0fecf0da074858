package result

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Limits are how many results of each job are kept, and for how long.
type Limits struct {
	Runs int           // the newest ones; 0 means all
	Age  time.Duration // since their start; 0 means for ever
}

// Prune removes the results in dir that are beyond the limits at a time, and returns the
// paths of their folders. The newest of a job is kept whatever its age, for it is what is
// known of the job; one that is written, and one whose deployment may still be there, are
// kept too.
func Prune(dir string, limits Limits, now time.Time) ([]string, error) {
	jobs, err := Jobs(dir)
	if err != nil {
		return nil, err
	}
	var removed []string
	var failed []error
	for _, job := range jobs {
		gone, err := pruneJob(dir, job, limits, now)
		removed = append(removed, gone...)
		failed = append(failed, err)
	}
	return removed, errors.Join(failed...)
}

func pruneJob(dir, job string, limits Limits, now time.Time) ([]string, error) {
	names, err := folders(filepath.Join(dir, job))
	if err != nil {
		return nil, err
	}
	var removed []string
	var failed []error
	for i, name := range names {
		started, _ := startOf(name)
		beyond := limits.Runs > 0 && i >= limits.Runs || limits.Age > 0 && now.Sub(started) > limits.Age
		folder := filepath.Join(dir, job, name)
		if i == 0 || !beyond || needed(folder) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			failed = append(failed, err)
			continue
		}
		removed = append(removed, folder)
	}
	return removed, errors.Join(failed...)
}

// needed tells whether somebody still writes a result or must look at what it left. A
// record that cannot be read is nobody's to remove.
func needed(folder string) bool {
	r, err := Read(folder)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err != nil || r.Alive || r.Orphaned()
}

package result

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"kinit/cmd/kinit/runfolder"
)

// Limits are how many results of each job are kept, and for how long.
type Limits struct {
	Runs int           // the newest ones; 0 means all
	Age  time.Duration // since their start; 0 means for ever
}

// Prune removes the results in dir that exceed the limits at a time, and returns the
// paths of their folders. It always keeps the newest of a job, because it is the job's
// current state, and also results that are being written or whose deployment may still
// exist.
func Prune(dir string, limits Limits, now time.Time) ([]string, error) {
	jobs, err := Jobs(dir)
	if err != nil {
		return nil, err
	}
	var removed []string
	var failed []error
	for _, job := range jobs {
		newest := ""
		if names, err := runfolder.Names(filepath.Join(dir, job)); err == nil && len(names) > 0 {
			newest = names[0]
		}
		gone, err := runfolder.Prune(filepath.Join(dir, job), limits.Runs, limits.Age, now, func(folder string) bool {
			return filepath.Base(folder) == newest || needed(folder)
		})
		for _, name := range gone {
			removed = append(removed, filepath.Join(dir, job, name))
		}
		failed = append(failed, err)
	}
	return removed, errors.Join(failed...)
}

// needed reports whether a program still writes a result or must clean up after it. An
// unreadable record is never removed.
func needed(folder string) bool {
	r, err := Read(folder)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err != nil || r.Alive || r.Orphaned()
}

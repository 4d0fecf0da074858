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

// needed tells whether somebody still writes a result or must look at what it left. A
// record that cannot be read is nobody's to remove.
func needed(folder string) bool {
	r, err := Read(folder)
	if errors.Is(err, os.ErrNotExist) {
		return false
	}
	return err != nil || r.Alive || r.Orphaned()
}

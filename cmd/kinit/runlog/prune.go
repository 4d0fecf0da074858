package runlog

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"kinit/cmd/kinit/filelock"
)

// Limits are how many runs are kept, and for how long.
type Limits struct {
	Runs int           // the newest ones
	Age  time.Duration // since their start
}

// Kept are the limits kinit uses.
func Kept() Limits { return Limits{Runs: 100, Age: 90 * 24 * time.Hour} }

// Prune removes the runs in dir that are beyond the limits at a time, and returns
// their names. A run that is at work is never removed, and nothing is that is no
// run's folder.
func Prune(dir string, limits Limits, now time.Time) ([]string, error) {
	names, err := folders(dir)
	if err != nil {
		return nil, err
	}
	var removed []string
	var failed []error
	for i, name := range names {
		started, _ := startOf(name)
		if i < limits.Runs && now.Sub(started) <= limits.Age {
			continue
		}
		folder := filepath.Join(dir, name)
		if filelock.Held(filepath.Join(folder, fileName)) {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			failed = append(failed, err)
			continue
		}
		removed = append(removed, name)
	}
	return removed, errors.Join(failed...)
}

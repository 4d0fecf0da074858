package runlog

import (
	"path/filepath"
	"time"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/filelock"
)

// Limits are how many runs are kept, and for how long.
type Limits struct {
	Runs int           // the newest ones
	Age  time.Duration // since their start
}

// Kept are the limits kinit uses.
func Kept() Limits { return Limits{Runs: 100, Age: 90 * 24 * time.Hour} }

// Prune removes the runs in dir that exceed the limits at a time, and returns
// their names. It never removes an active run or a folder that is not a
// run's.
func Prune(dir string, limits Limits, now time.Time) ([]string, error) {
	return runfolder.Prune(dir, limits.Runs, limits.Age, now, func(folder string) bool {
		return filelock.Held(filepath.Join(folder, fileName))
	})
}

// Package runfolder lists folders that are named by a start time, such as the logs
// of runs and the results of jobs.
package runfolder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// TimeFormat is how the names begin, in UTC, so that they sort by time. A hyphen follows.
const TimeFormat = "20060102T150405Z"

// Make makes a folder in dir, for its owner only. Those of the same second and name get a
// number; without a name all get one.
func Make(dir string, started time.Time, name string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	base := filepath.Join(dir, started.UTC().Format(TimeFormat))
	folder := base + "-1"
	if name != "" {
		base += "-" + name
		folder = base
	}
	for n := 2; ; n++ {
		if err := os.Mkdir(folder, 0o700); !errors.Is(err, fs.ErrExist) {
			return folder, err
		}
		folder = fmt.Sprintf("%s-%d", base, n)
	}
}

// Names lists the folders in dir that are named so, the newest first. A dir that does not
// exist has none.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list what was run: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if _, ok := StartOf(entry.Name()); ok && entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, newestFirst)
	return names, nil
}

// newestFirst compares by the start, and those of one second by the number at the end, of
// which the longer is the greater.
func newestFirst(a, b string) int {
	n := len(TimeFormat)
	return cmp.Or(strings.Compare(b[:n], a[:n]), len(b)-len(a), strings.Compare(b, a))
}

// StartOf is when something started, by the name of its folder.
func StartOf(name string) (time.Time, bool) {
	text, _, ok := strings.Cut(name, "-")
	if !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(TimeFormat, text)
	return at, err == nil
}

// Prune removes those folders in dir that exceed a limit: more than that many later ones
// are kept, or the folder is older than an age; 0 means no limit. It returns their names. It
// calls needed for each folder that it would remove.
//
// A folder whose time is after now was made before the clock was set back, so it counts as
// older than the others. A folder with files, of which none is one of files, was not made by
// kinit and stays.
func Prune(dir string, most int, age time.Duration, now time.Time, files []string, needed func(folder string) bool) ([]string, error) {
	names, err := Names(dir)
	if err != nil {
		return nil, err
	}
	names = lastFirst(names, now)
	var removed []string
	var failed []error
	for i, name := range names {
		started, _ := StartOf(name)
		beyond := most > 0 && i >= most || age > 0 && now.Sub(started) > age
		folder := filepath.Join(dir, name)
		if !beyond || needed(folder) {
			continue
		}
		made, err := holds(folder, files)
		if err != nil {
			failed = append(failed, err)
		}
		if !made {
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

// lastFirst sorts names by when the folders were made, the last first.
func lastFirst(newestFirst []string, now time.Time) []string {
	limit := now.UTC().Format(TimeFormat)
	var past, future []string
	for _, name := range newestFirst {
		if name[:len(TimeFormat)] > limit {
			future = append(future, name)
		} else {
			past = append(past, name)
		}
	}
	return append(past, future...)
}

// holds reports whether a folder is empty or has one of the files.
func holds(folder string, files []string) (bool, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(files, e.Name()) }), nil
}

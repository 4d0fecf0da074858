// Package runlog stores the events of a run: one folder for each run, with an
// append-only log of events.
//
// events.jsonl has one JSON object a line: a header, the run's events, and a
// summary when the run came to its end. docs/event-log.md describes the format.
package runlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/event"
	"kinit/engine/filelock"
)

// Version is the version of the log's format, in its header. It is incremented when a
// reader of the earlier version would misinterpret a log; new
// fields and new kinds of lines do not make a new version.
const Version = 2

// headerKind distinguishes a header from other lines.
const headerKind = "kinit_run_log"

// fileName is the log's name in the run's folder.
const fileName = "events.jsonl"

// Header is the first line of a log.
type Header struct {
	Kind      string    `json:"kind"` // "kinit_run_log"
	Version   int       `json:"version"`
	Program   string    `json:"program"`         // the version of kinit
	Command   string    `json:"command"`         // such as "kinit run"
	Check     bool      `json:"check,omitempty"` // it only looked, and changed nothing
	Spec      string    `json:"spec"`
	Started   time.Time `json:"started"`
	Hosts     []string  `json:"hosts,omitempty"`     // the patterns of --hosts
	Variables []string  `json:"variables,omitempty"` // the names set by --var; what they are set to may be a secret
}

// Log is the log of one run. It is safe for use by several goroutines.
type Log struct {
	path   string
	synced sync.WaitGroup
	wake   chan struct{} // holds one token when there is something to sync

	mu   sync.Mutex
	file *os.File
	err  error // the first that happened
}

// Create makes a folder <time>-<spec> in dir, for its owner only, and starts the
// log in it.
func Create(dir string, h Header) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of runs: %w", err)
	}
	folder, err := runfolder.Make(dir, h.Started, folderName(h.Spec))
	if err != nil {
		return nil, fmt.Errorf("make the run's folder: %w", err)
	}
	path := filepath.Join(folder, fileName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the run's log: %w", err)
	}
	if err := filelock.Hold(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the run's log: %w", err), file.Close())
	}
	l := &Log{path: path, file: file, wake: make(chan struct{}, 1)}
	l.synced.Go(l.sync)
	h.Kind, h.Version = headerKind, Version
	l.append(h)
	return l, nil
}

// folderName makes a spec's name or path fit for the name of a folder.
func folderName(spec string) string {
	name := strings.TrimSuffix(filepath.Base(spec), ".hcl")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, name)
}

// Path is where the log is.
func (l *Log) Path() string { return l.path }

// Emit appends an event. The end of a task must survive a crash of the machine, so
// it is synced soon; Emit does not wait for that. Progress is only of momentary use and
// is not stored: there is very much of it, and its lines of output come one by one,
// so that a secret with a line break could not be recognized.
func (l *Log) Emit(e event.Event) {
	if e.Kind == event.TaskProgress {
		return
	}
	l.append(e)
	if e.Kind != event.TaskFinished && e.Kind != event.RunFinished {
		return
	}
	select {
	case l.wake <- struct{}{}:
	default: // the sync that is due covers this event too
	}
}

// append writes one line in one call, so that a reader never sees a partial line
// of a living program.
func (l *Log) append(value any) {
	line, err := json.Marshal(value)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	l.err = cmp.Or(l.err, err)
}

// sync flushes to the disk whenever a task has ended, as often as the disk
// allows.
func (l *Log) sync() {
	for range l.wake {
		l.keep(l.file.Sync())
	}
}

func (l *Log) keep(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = cmp.Or(l.err, err)
}

// Close appends the summary, syncs, and returns the first error of the log's
// life. Nothing is emitted afterwards.
func (l *Log) Close(summary any) error {
	l.append(summary)
	close(l.wake)
	l.synced.Wait()
	l.keep(l.file.Sync())
	l.keep(l.file.Close())
	return l.err
}

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
	return runfolder.Prune(dir, limits.Runs, limits.Age, now, []string{fileName}, func(folder string) bool {
		return filelock.Held(filepath.Join(folder, fileName))
	})
}

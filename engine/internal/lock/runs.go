package lock

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"kinit/engine/filelock"
)

// Runs finds out which runs of this machine have died: each live run holds a file in a
// folder. If Folder is empty, nothing is kept and died reports false.
type Runs struct {
	Folder string
}

// bootID is the file of the id of the current boot, proc(5). It separates the machines that
// share a folder.
const bootID = "/proc/sys/kernel/random/boot_id"

// alive is the file of a live run.
type alive struct {
	file *os.File // nil if nothing is kept
}

// begin records that a run is alive.
func (r Runs) begin(token string) (*alive, error) {
	if r.Folder == "" {
		return &alive{}, nil
	}
	if err := os.MkdirAll(r.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of runs that are at work: %w", err)
	}
	r.prune()
	boot, err := os.ReadFile(bootID)
	if err != nil {
		return &alive{}, nil // not Linux: unknown
	}
	file, err := os.OpenFile(r.path(token), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("say that a run is at work: %w", err)
	}
	a := &alive{file: file}
	err = filelock.Hold(file)
	if err == nil {
		_, err = file.Write(boot)
	}
	if err != nil {
		a.end()
		return nil, fmt.Errorf("say that a run is at work: %w", err)
	}
	return a, nil
}

// path returns the file of a run: a token ends in its unique part.
func (r Runs) path(token string) string { return filepath.Join(r.Folder, path.Base(token)) }

// renew records that the run still has its lock.
func (a *alive) renew() {
	if a.file != nil {
		now := time.Now()
		_ = os.Chtimes(a.file.Name(), now, now) // only prune needs it
	}
}

// end records that the run is over.
func (a *alive) end() {
	if a.file != nil {
		_ = os.Remove(a.file.Name()) // prune removes it otherwise
		_ = a.file.Close()
	}
}

// died reports whether a run began on this machine, since it started, and has died.
func (r Runs) died(token string) bool {
	if r.Folder == "" {
		return false
	}
	boot, err := os.ReadFile(r.path(token))
	now, errNow := os.ReadFile(bootID)
	return err == nil && errNow == nil && bytes.Equal(boot, now) && !filelock.Held(r.path(token))
}

// prune removes the files of runs whose locks have expired too.
func (r Runs) prune() {
	entries, err := os.ReadDir(r.Folder)
	if err != nil {
		return // begin reports the error
	}
	for _, e := range entries {
		name := filepath.Join(r.Folder, e.Name())
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > lifetime+renewal && !filelock.Held(name) {
			_ = os.Remove(name) // the next run tries again
		}
	}
}

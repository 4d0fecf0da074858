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

// Runs tells by a folder of this machine which runs that began on it have died: each
// holds a file there for as long as it lives. Folder is empty where nothing is kept;
// then nobody knows.
type Runs struct {
	Folder string
}

// bootID is the name that Linux gives to the time since the machine started, proc(5). A
// folder that several machines share may know locks of one of them only.
const bootID = "/proc/sys/kernel/random/boot_id"

// alive is the file of a run that is at work.
type alive struct {
	file *os.File // nil where nothing is kept
}

// begin says that the run of a token lives.
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
		return &alive{}, nil // no Linux: nobody knows
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

// path is where the file of a run is: a token ends in what makes it unique.
func (r Runs) path(token string) string { return filepath.Join(r.Folder, path.Base(token)) }

// renew says that the run has its lock still.
func (a *alive) renew() {
	if a.file != nil {
		now := time.Now()
		_ = os.Chtimes(a.file.Name(), now, now) // it matters to prune only
	}
}

// end says that the run is over.
func (a *alive) end() {
	if a.file != nil {
		_ = os.Remove(a.file.Name()) // one that stays is pruned
		_ = a.file.Close()
	}
}

// died tells whether a run began on this machine, since it started, and has died.
func (r Runs) died(token string) bool {
	if r.Folder == "" {
		return false
	}
	boot, err := os.ReadFile(r.path(token))
	now, errNow := os.ReadFile(bootID)
	return err == nil && errNow == nil && bytes.Equal(boot, now) && !filelock.Held(r.path(token))
}

// prune removes the files of runs whose locks have died of age too.
func (r Runs) prune() {
	entries, err := os.ReadDir(r.Folder)
	if err != nil {
		return // begin tells
	}
	for _, e := range entries {
		name := filepath.Join(r.Folder, e.Name())
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > lifetime+renewal && !filelock.Held(name) {
			_ = os.Remove(name) // the next one tries again
		}
	}
}

package result

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/filelock"
)

// fileName is the record's name in the run's folder.
const fileName = "result.jsonl"

// Record is a record that is being written. It is safe for use by several goroutines.
type Record struct {
	folder string
	mu     sync.Mutex
	file   *os.File
}

// Create makes the folder of a run in dir, only for its owner, and begins its record. The
// file gets its name after it is locked and has its header, so that it never
// looks as if its program had died.
func Create(dir string, h Header) (*Record, error) {
	folder, err := runfolder.Make(filepath.Join(dir, h.Job), h.Started, "")
	if err != nil {
		return nil, fmt.Errorf("make the folder of a result: %w", err)
	}
	partial := filepath.Join(folder, "."+fileName)
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a result: %w", err)
	}
	r := &Record{folder: folder, file: file}
	h.Kind, h.Version = kindHeader, Version
	err = filelock.Hold(file)
	if err == nil {
		err = r.append(h)
	}
	if err == nil {
		err = os.Rename(partial, filepath.Join(folder, fileName))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin a result: %w", err), file.Close())
	}
	return r, nil
}

// Folder is where the files of the run stand.
func (r *Record) Folder() string { return r.folder }

// phaseLine is the line of a phase that begins or has ended.
type phaseLine struct {
	Kind string `json:"kind"`
	Phase
}

// Begin notes that a phase begins.
func (r *Record) Begin(p Phase) error { return r.append(phaseLine{kindBegin, p}) }

// Finish notes how a phase ended.
func (r *Record) Finish(p Phase) error { return r.append(phaseLine{kindFinish, p}) }

// Close records the end of the run and releases the record.
func (r *Record) Close(e End) error {
	err := r.append(struct {
		Kind string `json:"kind"`
		End
	}{kindEnd, e})
	return errors.Join(err, r.file.Close())
}

// append writes one line in one call, so that a reader never sees a partial line of a
// living program, and syncs it to disk before it returns.
func (r *Record) append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	return r.file.Sync()
}

// patience is how long Settle waits for readers that only check whether a record is being written.
const patience = 2 * time.Second

// Settle records that the leftovers of a finished run were removed. It is an error
// if a program still writes the record.
func Settle(ctx context.Context, folder string, s Settled) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	file, err := os.OpenFile(filepath.Join(folder, fileName), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("settle a result: %w", err)
	}
	r := &Record{folder: folder, file: file}
	err = filelock.Take(ctx, file, nil)
	if err == nil {
		err = r.endLine()
	}
	if err == nil {
		err = r.append(struct {
			Kind string `json:"kind"`
			Settled
		}{kindSettled, s})
	}
	return errors.Join(err, file.Close())
}

// endLine ends a last line that a dead program left incomplete.
func (r *Record) endLine() error {
	info, err := r.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := r.file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = r.file.Write([]byte("\n"))
	return err
}

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
		gone, err := runfolder.Prune(filepath.Join(dir, job), limits.Runs, limits.Age, now, []string{fileName, "." + fileName}, func(folder string) bool {
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

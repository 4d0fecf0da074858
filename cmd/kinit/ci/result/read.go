package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kinit/cmd/kinit/runfolder"
	"kinit/engine/filelock"
)

// Jobs lists the addresses of the jobs that have results in dir, sorted. A dir that does
// not exist has none.
func Jobs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the jobs with results: %w", err)
	}
	var jobs []string
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			jobs = append(jobs, entry.Name())
		}
	}
	return jobs, nil
}

// List reads the results of a job in dir, the newest first. An unreadable record
// is an error: omitting it would make the product look better. A folder without a started
// record is omitted: its run did nothing.
func List(dir, job string) ([]*Result, error) {
	names, err := runfolder.Names(filepath.Join(dir, job))
	if err != nil {
		return nil, err
	}
	var results []*Result
	for _, name := range names {
		r, err := Read(filepath.Join(dir, job, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// Read reads the record in a run's folder.
func Read(folder string) (*Result, error) {
	path := filepath.Join(folder, fileName)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	r := &Result{ID: filepath.Base(folder), Folder: folder, Modified: info.ModTime()}
	if err := r.read(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.End != nil {
		return r, nil
	}
	if r.Alive = filelock.Held(path); r.Alive {
		return r, nil
	}
	// It may have ended since it was read.
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	again := &Result{ID: r.ID, Folder: folder, Modified: r.Modified}
	return again, again.read(file)
}

func (r *Result) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if n == 1 {
				return errors.New("this is no result: it is empty")
			}
			return nil // a program that died leaves a torn last line
		}
		if err != nil {
			return err
		}
		if n > 1 {
			r.take(line)
			continue
		}
		if err := r.header(line); err != nil {
			return err
		}
	}
}

func (r *Result) header(line []byte) error {
	if err := json.Unmarshal(line, &r.Header); err != nil || r.Header.Kind != kindHeader {
		return errors.New("this is no result: its first line is no header")
	}
	if r.Header.Version > Version {
		return fmt.Errorf("the result is of version %d, and this kinit reads versions up to %d; use kinit %s, which wrote it",
			r.Header.Version, Version, r.Header.Program)
	}
	return nil
}

// take processes one whole line. Unknown kinds are from later versions.
func (r *Result) take(line []byte) {
	var kind struct {
		Kind string `json:"kind"`
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	err := json.Unmarshal(line, &kind)
	switch kind.Kind {
	case kindBegin:
		var p Phase
		if err = json.Unmarshal(line, &p); err == nil {
			r.Phases = append(r.Phases, p)
		}
	case kindFinish:
		err = r.finish(line)
	case kindEnd:
		end := &End{}
		if err = json.Unmarshal(line, end); err == nil {
			r.End = end
		}
	case kindSettled:
		settled := &Settled{}
		if err = json.Unmarshal(line, settled); err == nil {
			r.Settled = settled
		}
	}
	if err != nil {
		r.Damaged++
	}
}

// finish replaces the beginning of a phase, which is the last one, by its end.
func (r *Result) finish(line []byte) error {
	var p Phase
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	if last := r.Last(p.Name); last != nil && last.Attempt == p.Attempt && last.Ended.IsZero() {
		*last = p
		return nil
	}
	r.Phases = append(r.Phases, p)
	return nil
}

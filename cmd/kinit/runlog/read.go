package runlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kinit/cmd/kinit/view"
	"kinit/engine/event"
	"kinit/engine/filelock"
)

// Run is the content of a run's log.
type Run struct {
	ID      string // the name of the run's folder
	Header  Header
	Events  []event.Event // in the order in which they were written
	Summary *view.Summary // nil if the run did not end, or not yet
	Running bool          // a program still writes the log
	Torn    bool          // the last line is not whole: the program or the machine died
	Damaged int           // lines that are no JSON; they are left out
	Err     error         // of List: why the log could not be read
}

// Read reads a log.
func Read(path string) (*Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the log of a run: %w", err)
	}
	defer file.Close()
	// Read first: a run that ends meanwhile has then written everything.
	run := &Run{ID: filepath.Base(filepath.Dir(path)), Running: filelock.Held(path)}
	if err := run.read(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

func (r *Run) read(from io.Reader) error {
	lines := bufio.NewReaderSize(from, 1<<16)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			r.Torn = len(line) > 0 && !r.Running
			if n == 1 {
				return errors.New("the log is empty: the run died before it began")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.take(n, line); err != nil {
			return err
		}
	}
}

func (r *Run) take(n int, line []byte) error {
	if n == 1 {
		return r.header(line)
	}
	var e event.Event
	if err := json.Unmarshal(line, &e); err != nil && !isSummary(line) {
		r.Damaged++
		return nil
	}
	if e.Kind != view.SummaryKind {
		r.Events = append(r.Events, e)
		return nil
	}
	summary := &view.Summary{}
	if err := json.Unmarshal(line, summary); err != nil {
		r.Damaged++
		return nil
	}
	r.Summary = summary
	return nil
}

// isSummary recognizes a summary by its beginning.
func isSummary(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"kind":"`+view.SummaryKind+`"`))
}

func (r *Run) header(line []byte) error {
	if err := json.Unmarshal(line, &r.Header); err != nil || r.Header.Kind != headerKind {
		return errors.New("this is no log of a run: its first line is no header")
	}
	if r.Header.Version > Version {
		return fmt.Errorf("the log is of version %d, and this kinit reads versions up to %d; use kinit %s, which wrote it",
			r.Header.Version, Version, r.Header.Program)
	}
	return nil
}

// readEnds reads the header and the summary, and the lines between only without
// a summary.
func readEnds(path string) (*Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	last, err := lastLine(file)
	if err != nil || !isSummary(last) {
		return Read(path)
	}
	first, err := bufio.NewReader(io.NewSectionReader(file, 0, 1<<20)).ReadBytes('\n')
	if err != nil {
		return Read(path)
	}
	run := &Run{ID: filepath.Base(filepath.Dir(path))}
	if err := run.take(1, first); err != nil {
		return nil, err
	}
	return run, run.take(2, last)
}

// lastLine is the last line of a file, if it is whole.
func lastLine(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	for size := int64(1 << 14); ; size *= 4 {
		from := max(0, info.Size()-size)
		tail := make([]byte, info.Size()-from)
		if _, err := file.ReadAt(tail, from); err != nil {
			return nil, err
		}
		text, whole := bytes.CutSuffix(tail, []byte("\n"))
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 && whole {
			return text[i+1:], nil
		}
		if from == 0 || !whole {
			return nil, errors.New("no whole line")
		}
	}
}

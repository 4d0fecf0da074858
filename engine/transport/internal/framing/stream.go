package framing

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Until copies what comes before the mark to the writer, as soon as it comes, and
// takes the mark away. A writer that fails gets nothing more; its error is
// returned, and the stream stands behind the mark nevertheless.
func Until(from *bufio.Reader, mark string, to *Sink) error {
	for {
		if _, err := from.Peek(1); err != nil {
			return err
		}
		waiting, _ := from.Peek(from.Buffered())
		if i := bytes.Index(waiting, []byte(mark)); i >= 0 {
			to.pass(waiting[:i])
			_, err := from.Discard(i + len(mark))
			return err
		}
		keep := overlap(waiting, mark)
		to.pass(waiting[:len(waiting)-keep])
		if _, err := from.Discard(len(waiting) - keep); err != nil {
			return err
		}
		if keep > 0 {
			if _, err := from.Peek(keep + 1); err != nil {
				return err
			}
		}
	}
}

// overlap returns the length of the longest end of data that the mark begins
// with.
func overlap(data []byte, mark string) int {
	for n := min(len(data), len(mark)-1); n > 0; n-- {
		if string(data[len(data)-n:]) == mark[:n] {
			return n
		}
	}
	return 0
}

// Number reads a line that is a number.
func Number(from *bufio.Reader) (int, error) {
	line, err := from.ReadString('\n')
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0, fmt.Errorf("the machine's shell answered %q instead of a number", line)
	}
	return n, nil
}

// Sink passes on what it gets until the writer fails or is given back; then it
// forgets the rest, so that the command is not blocked.
type Sink struct {
	to  io.Writer
	err error

	off atomic.Bool
	mu  sync.Mutex // held during a write
}

// NewSink returns a sink in front of a writer.
func NewSink(to io.Writer) *Sink { return &Sink{to: to} }

// Err is what the writer failed with. It waits for a write that is under way.
func (s *Sink) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// pass passes on. A nil sink forgets everything.
func (s *Sink) pass(b []byte) {
	if s == nil || len(b) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && !s.off.Load() {
		_, s.err = s.to.Write(b)
	}
}

// Write passes on. It never fails: Err tells what the writer failed with.
func (s *Sink) Write(b []byte) (int, error) {
	s.pass(b)
	return len(b), nil
}

// Forget stops writing. It does not wait for a write that is under way.
func (s *Sink) Forget() { s.off.Store(true) }

// Release stops writing and waits for a write that is under way.
func (s *Sink) Release() {
	s.Forget()
	s.mu.Lock()
	defer s.mu.Unlock()
}

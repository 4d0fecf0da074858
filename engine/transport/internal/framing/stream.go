package framing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Until copies data before the mark to the writer, as soon as it arrives, and removes the
// mark. After an error of the writer it writes nothing more but still reads up to the mark,
// and returns the error.
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

// Number reads a line with a number. A line that does not fit into the reader's buffer is an
// error.
func Number(from *bufio.Reader) (int, error) {
	line, err := from.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(line)))
	if err != nil {
		return 0, fmt.Errorf("the machine's shell answered %.40q instead of a number", line)
	}
	return n, nil
}

// Sink passes on data until the writer fails or is released; then it drops the rest, so
// that the command is not blocked.
type Sink struct {
	to  io.Writer
	err error

	off atomic.Bool
	mu  sync.Mutex // held during a write
}

// NewSink returns a sink in front of a writer; nil drops everything.
func NewSink(to io.Writer) *Sink {
	if to == nil {
		to = io.Discard
	}
	return &Sink{to: to}
}

// Err returns the writer's error. It waits for a write in progress.
func (s *Sink) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// pass passes data on. A nil sink drops everything.
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

// Write passes data on. It never fails: Err returns the writer's error.
func (s *Sink) Write(b []byte) (int, error) {
	s.pass(b)
	return len(b), nil
}

// Forget stops writing. It does not wait for a write in progress.
func (s *Sink) Forget() { s.off.Store(true) }

// Release stops writing and waits for a write in progress.
func (s *Sink) Release() {
	s.Forget()
	s.mu.Lock()
	defer s.mu.Unlock()
}

// Outputs are the sinks of both outputs of a command.
type Outputs struct{ Stdout, Stderr *Sink }

// NewOutputs returns sinks in front of the writers; nil drops everything.
func NewOutputs(stdout, stderr io.Writer) Outputs {
	return Outputs{NewSink(stdout), NewSink(stderr)}
}

// Copied returns the errors of the writers.
func (o Outputs) Copied() error {
	if err := errors.Join(o.Stdout.Err(), o.Stderr.Err()); err != nil {
		return fmt.Errorf("copy the output: %w", err)
	}
	return nil
}

// Forget stops writing. It does not wait for a write in progress.
func (o Outputs) Forget() {
	o.Stdout.Forget()
	o.Stderr.Forget()
}

// Release stops writing and waits for writes in progress.
func (o Outputs) Release() {
	o.Stdout.Release()
	o.Stderr.Release()
}

// Source passes on the data of a command's input. Its error is separate from that of the
// writer of io.Copy.
type Source struct {
	Err  error // the reader's
	from io.Reader
}

// NewSource returns a source of what the reader reads.
func NewSource(from io.Reader) *Source { return &Source{from: from} }

func (s *Source) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if err != nil && err != io.EOF {
		s.Err = fmt.Errorf("read the standard input: %w", err)
	}
	return n, err
}

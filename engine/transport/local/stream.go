package local

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"kinit/engine/transport/internal/framing"
)

// pipeSize is the most, in bytes, that a pipe can hold without privileges:
// /proc/sys/fs/pipe-max-size.
const pipeSize = 1 << 20

// streams copies the outputs and the input of one process.
type streams struct {
	pipes   []*os.File
	wait    sync.WaitGroup
	damaged chan error // the error of the input's reader

	mu  sync.Mutex
	err error
}

// add starts to copy a pipe. A nil writer drops the data.
func (s *streams) add(pipe *os.File, to io.Writer) {
	s.pipes = append(s.pipes, pipe)
	s.wait.Go(func() {
		err := copyPipe(framing.NewSink(to), pipe)
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		s.mu.Unlock()
	})
}

// finish is called after the process has ended. It reads only what the pipes still hold,
// and returns the first error of the writers.
func (s *streams) finish() error {
	for _, pipe := range s.pipes {
		_ = pipe.SetReadDeadline(time.Now()) // pipes have deadlines on every unix
	}
	s.wait.Wait()
	for _, pipe := range s.pipes {
		_ = pipe.Close() // only read from
	}
	return s.err
}

// copyPipe copies until the end, or until a deadline after the process has ended; then it
// also copies what the pipe holds at that moment.
func copyPipe(to *framing.Sink, pipe *os.File) error {
	_, err := io.Copy(to, pipe)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = rest(to, pipe)
	}
	return errors.Join(err, to.Err())
}

// rest reads without waiting. The limit stops it for a background process that never stops
// writing.
func rest(to io.Writer, pipe *os.File) error {
	if err := pipe.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return err
	}
	buffer := make([]byte, 64<<10)
	for total := 0; total < pipeSize; {
		n, failure := 0, error(nil)
		err := raw.Read(func(fd uintptr) bool {
			n, failure = syscall.Read(int(fd), buffer)
			return true
		})
		if failure == syscall.EINTR {
			continue
		}
		if err != nil || failure != nil || n <= 0 {
			return err
		}
		total += n
		_, _ = to.Write(buffer[:n]) // a sink keeps its error
	}
	return nil
}

// feed copies standard input. Its end is not waited for: a Read of the caller's reader
// cannot be interrupted, and the command may end before it has read everything. If the
// reader fails, the input remains open, so that the command does not treat a part as the
// whole.
func (s *streams) feed(in io.WriteCloser, from io.Reader) {
	source := framing.NewSource(from)
	_, _ = io.Copy(in, source) // the command may close its input at any time
	if source.Err != nil {
		s.damaged <- source.Err
		return
	}
	_ = in.Close()
}

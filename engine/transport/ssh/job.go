package ssh

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
)

// longestLine is the most, in bytes, that Linux passes as one argument:
// MAX_ARG_STRLEN, execve(2), less the final zero.
const longestLine = 128<<10 - 1

// shortInput is the most standard input, in bytes, that is sent with the command
// itself. It fits into a pipe, so that the runner never blocks on it.
const shortInput = 32 << 10

// job is a process to run and its input, prepared so that it can be sent twice.
type job struct {
	transport.Process
	from  framing.Input
	data  []byte // of framing.Data
	ready error  // the error of the preparation
}

// newJob includes input in the script if it is short and in memory, as its Len shows. It
// streams any other input.
func newJob(p transport.Process) *job {
	j := &job{Process: p}
	if p.Stdin == nil {
		return j
	}
	j.from = framing.Session
	known, ok := p.Stdin.(interface{ Len() int })
	if !ok || known.Len() > shortInput {
		return j
	}
	j.from = framing.Data
	j.data, j.ready = io.ReadAll(p.Stdin)
	if len(j.data) == 0 {
		j.from = framing.Nothing
	}
	return j
}

// check returns an error for what a machine could not run.
func (j *job) check() error {
	switch {
	case j.ready != nil:
		return j.ready
	case strings.ContainsRune(j.Line, 0):
		return errors.New("a command line cannot contain a zero byte")
	case len(j.Line) > longestLine:
		return fmt.Errorf("the command line has %d bytes and at most %d can be passed: use standard input or a file",
			len(j.Line), longestLine)
	}
	for name, value := range j.Env {
		if strings.ContainsRune(value, 0) || len(name)+len(value) >= longestLine {
			return fmt.Errorf("the environment variable %s has a zero byte, or more than the %d bytes that can be passed", name, longestLine)
		}
	}
	return nil
}

package powershell

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"kinit/engine/transport/internal/framing"
)

// mark is what the bootstrap's line begins with.
const mark = "#kinit "

// Process is a bootstrap that was started: its outputs, and whether its script may still be
// given up.
type Process struct {
	framing.Outputs
	Stdout *framing.Opening
	Stderr *Errors
	fate   atomic.Int32
}

// The fates of a script. While it is open, the header is incomplete, so no part of the script
// has run and none of its input was read. One that was given up remains so: it may be sent
// again.
const (
	open int32 = iota
	committed
	givenUp
)

// NewProcess passes the outputs of the script on to writers; nil drops one. begin is called
// once, when the script begins, with the process that runs it, by the goroutine that writes.
func NewProcess(stdout, stderr io.Writer, begin func(pid int)) *Process {
	sinks := framing.NewOutputs(stdout, stderr)
	return &Process{Outputs: sinks, Stdout: framing.NewOpening(mark, sinks.Stdout, begin), Stderr: NewErrors(sinks.Stderr)}
}

// Commit is called before the header becomes complete. It returns false if the script was given
// up.
func (p *Process) Commit() bool {
	return p.fate.CompareAndSwap(open, committed) || p.fate.Load() == committed
}

// GiveUp prevents the script from running, and reports whether that succeeded.
func (p *Process) GiveUp() bool { return p.fate.CompareAndSwap(open, givenUp) }

// NeverBegan returns why the script did not run, with the machine's message. silent is the
// reason if there was none.
func (p *Process) NeverBegan(code int, silent string) error {
	text := cmp.Or(strings.TrimSpace(p.Stdout.Before()), silent)
	return fmt.Errorf("PowerShell ended with code %d before the script began: %s", code, text)
}

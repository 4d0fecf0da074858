package main

import (
	"errors"
	"fmt"
	"io"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/transport"
)

// The exit codes. They are part of the interface.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInvalid     = 3
	exitPending     = 4
	exitUnreachable = 5
	exitOutside     = 6
	exitInterrupted = 130 // 128 and the number of SIGINT
)

// exitMeaning describes an exit code for help texts.
func exitMeaning(code int) string {
	return map[int]string{
		exitOK:          "all is as it should be",
		exitFailed:      "a task or a check failed",
		exitUsage:       "the command line is wrong",
		exitInvalid:     "the spec or an inventory is wrong; no host was touched",
		exitPending:     "changes are pending",
		exitUnreachable: "a host could not be reached or not be trusted",
		exitOutside:     "no product failed, but the infrastructure did",
		exitInterrupted: "it was interrupted",
	}[code]
}

// codeOf returns the exit code for a report; pending changes can be a reason for one. An unreachable host takes precedence over
// other failures because it often causes them.
func codeOf(r *engine.Report, pendingFails bool) int {
	switch {
	case r.Interrupted:
		return exitInterrupted
	case r.Invalid:
		return exitInvalid
	case unreachable(r):
		return exitUnreachable
	case r.Diagnostics.HasErrors() || ended(r, event.Failed):
		return exitFailed
	case pendingFails && r.Changes() > 0:
		return exitPending
	}
	return exitOK
}

func unreachable(r *engine.Report) bool {
	for _, cause := range []error{transport.ErrUnreachable, transport.ErrHostKey, transport.ErrAuth} {
		if r.Diagnostics.Is(cause) {
			return true
		}
	}
	return ended(r, event.Unreachable)
}

// ended reports whether a task ended with a status.
func ended(r *engine.Report, status event.Status) bool {
	for _, result := range r.Results {
		if result.Status == status {
			return true
		}
	}
	return false
}

// codeError ends the program with a code; all messages are already shown.
type codeError int

func (e codeError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ending returns the error for a command that has shown all its messages.
func ending(code int) error {
	if code == exitOK {
		return nil
	}
	return codeError(code)
}

// usageError is a mistake in the command line.
type usageError struct {
	command string // such as "kinit run"
	text    string
}

func (e *usageError) Error() string { return e.text }

func usageErrorf(command, format string, args ...any) error {
	return &usageError{command: command, text: fmt.Sprintf(format, args...)}
}

// exitWith returns the exit code for the error of a command, and shows the error if it is
// not shown yet.
func exitWith(err error, to io.Writer) int {
	var code codeError
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(to, "Error: %s: %s\nSee '%s --help'.\n", usage.command, usage.text, usage.command)
		return exitUsage
	}
	_, _ = io.WriteString(to, "Error: "+err.Error()+"\n")
	return exitFailed
}

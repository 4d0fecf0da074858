// Package exit has kinit's exit codes: their meanings, and which report or error leads to
// which code.
package exit

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/transport"
)

// The exit codes. They are part of the interface.
const (
	OK          = 0
	Failed      = 1
	Usage       = 2
	Invalid     = 3
	Pending     = 4
	Unreachable = 5
	Outside     = 6
	Interrupted = 130 // 128 and the number of SIGINT
)

// Meaning describes an exit code for help texts.
func Meaning(code int) string {
	return map[int]string{
		OK:          "all is as it should be",
		Failed:      "a task or a check failed",
		Usage:       "the command line is wrong",
		Invalid:     "the spec or an inventory is wrong; no host was touched",
		Pending:     "changes are pending",
		Unreachable: "a host could not be reached or not be trusted",
		Outside:     "no product failed, but the infrastructure did",
		Interrupted: "it was interrupted",
	}[code]
}

// Of returns the exit code for a report; pending changes can be a reason for one. An
// unreachable host takes precedence over other failures because it often causes them.
func Of(r *engine.Report, pendingFails bool) int {
	switch {
	case r.Interrupted:
		return Interrupted
	case r.Invalid:
		return Invalid
	case unreachable(r):
		return Unreachable
	case r.Diagnostics.HasErrors() || ended(r, event.Failed):
		return Failed
	case pendingFails && r.Changes() > 0:
		return Pending
	}
	return OK
}

func unreachable(r *engine.Report) bool {
	causes := []error{transport.ErrUnreachable, transport.ErrHostKey, transport.ErrAuth}
	return slices.ContainsFunc(causes, r.Diagnostics.Is) || ended(r, event.Unreachable)
}

func ended(r *engine.Report, status event.Status) bool {
	return slices.ContainsFunc(r.Results, func(result engine.Result) bool { return result.Status == status })
}

// Code ends the program with a code; all messages are already shown.
type Code int

func (e Code) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Error returns the error that ends the program with a code; nil for OK.
func Error(code int) error {
	if code == OK {
		return nil
	}
	return Code(code)
}

// usageError is a mistake in the command line.
type usageError struct {
	command string // such as "kinit run"
	text    string
}

func (e *usageError) Error() string { return e.text }

// Usagef returns the error for a mistake in the command line of a command.
func Usagef(command, format string, args ...any) error {
	return &usageError{command: command, text: fmt.Sprintf(format, args...)}
}

// Show returns the exit code for the error of a command, and shows the error if it is
// not shown yet.
func Show(err error, to io.Writer) int {
	var code Code
	var usage *usageError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(to, "Error: %s: %s\nSee '%s --help'.\n", usage.command, usage.text, usage.command)
		return Usage
	}
	_, _ = io.WriteString(to, "Error: "+err.Error()+"\n")
	return Failed
}

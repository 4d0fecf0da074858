// Package view shows the events of a run.
//
// Views are event sinks that end with a report: Text for people, on a terminal
// with live lines or in a file without, and JSON for programs. Nothing
// else in kinit prints a run. Their input must already be redacted, see
// Redacted and RedactReport: cutting and wrapping could hide half a secret from
// a later redactor.
package view

import (
	"kinit/engine"
	"kinit/engine/event"
)

// View shows a run.
type View interface {
	event.Sink
	// Notice shows a line about the program, not about a task.
	Notice(line string)
	// Close shows how it ended, with the program's exit code. Nothing
	// is emitted afterwards.
	Close(r *engine.Report, code int)
}

// Mode is the kind of command; it selects the words of the summary.
type Mode int

// The modes.
const (
	Run Mode = iota
	Plan
	Validate
	Read // a value is read; only problems are shown
)

// Fan passes each event to several sinks, in order.
type Fan []event.Sink

// Emit passes the event on.
func (f Fan) Emit(e event.Event) {
	for _, sink := range f {
		sink.Emit(e)
	}
}

// Package view shows what happens in a run.
//
// Views are event sinks that end with a report: Text for people, on a terminal
// with live lines or in a file without, and JSON for programs. They print;
// nothing else in kinit does. What they get must be redacted already, see
// Redacted and RedactReport: cutting and wrapping could hide half a secret from
// a redactor that looks later.
package view

import (
	"kinit/engine"
	"kinit/engine/event"
)

// View shows a run to somebody.
type View interface {
	event.Sink
	// Notice shows a line that is about the program and not about a task.
	Notice(line string)
	// Close shows how it ended, with the exit code the program will have. Nothing
	// is emitted afterwards.
	Close(r *engine.Report, code int)
}

// Mode is what the command does; it decides the words of the summary.
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

package replay

import (
	"kinit/cmd/kinit/runlog"
	"kinit/engine/event"
)

// Verdict is how a run ended, in a word.
type Verdict string

// The verdicts.
const (
	OK          Verdict = "ok"
	Failed      Verdict = "failed"
	Invalid     Verdict = "invalid"     // the spec or an inventory is wrong; nothing ran
	Pending     Verdict = "pending"     // a dry run found changes to make
	Unreachable Verdict = "unreachable" // a host could not be reached or not be trusted
	Interrupted Verdict = "interrupted"
	Running     Verdict = "running"
	Died        Verdict = "died" // the program ended before the run did
	Unreadable  Verdict = "unreadable"
)

// Good reports whether nothing went wrong.
func (v Verdict) Good() bool { return v == OK || v == Pending || v == Running }

// verdict is how a run ended, by its exit code: those of the program are part of
// its interface.
func verdict(log *runlog.Run) Verdict {
	switch {
	case log.Err != nil:
		return Unreadable
	case log.Summary == nil && log.Running:
		return Running
	case log.Summary == nil:
		return Died
	}
	known := map[int]Verdict{0: OK, 3: Invalid, 4: Pending, 5: Unreachable, 130: Interrupted}
	if v, ok := known[log.Summary.ExitCode]; ok {
		return v
	}
	return Failed
}

// FirstError returns the error that happened first, which often causes others. If no task
// has an error, it returns the first error of the run in plan order, or nil.
func (r *Run) FirstError() *event.Problem {
	var first *Task
	for _, t := range r.Tasks {
		if len(t.Problems) > 0 && (first == nil || t.Ended.Before(first.Ended)) {
			first = t
		}
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		if p.Severity == "error" && (first == nil || p.Address == first.Address) {
			return p
		}
	}
	return nil
}

// withCommands adds to the problems of a summary the commands that tasks emitted with
// theirs.
func withCommands(summary, emitted []event.Problem) []event.Problem {
	type key struct{ address, summary, detail string }
	commands := map[key]*event.Command{}
	for _, p := range emitted {
		commands[key{p.Address, p.Summary, p.Detail}] = p.Command
	}
	out := make([]event.Problem, len(summary))
	for i, p := range summary {
		if p.Command == nil {
			p.Command = commands[key{p.Address, p.Summary, p.Detail}]
		}
		out[i] = p
	}
	return out
}

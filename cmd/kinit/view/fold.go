package view

import "kinit/engine/event"

// fold counts tasks that were skipped one like the other, as they are by the
// hundred after an interrupt: the first one is shown, the others are counted.
type fold struct {
	message string
	shown   bool // the first one with this message was
	more    int
}

// takes reports whether the event is one to count and not to show. started says
// whether the task was at work before it was skipped.
func (f *fold) takes(e event.Event, started bool) bool {
	if e.Kind != event.TaskFinished || e.Status != event.Skipped || started || !f.shown || e.Message != f.message {
		return false
	}
	f.more++
	return true
}

// flush is the line of the counted ones, if there are any, when e comes next. It
// is due when tasks are skipped for another reason, and at the end.
func (f *fold) flush(l *liner, e event.Event, width int) []string {
	skipped := e.Kind == event.TaskFinished && e.Status == event.Skipped
	if e.Kind != event.RunFinished && (!skipped || f.shown && e.Message == f.message) {
		return nil
	}
	var lines []string
	if f.more > 0 {
		lines = l.note(event.Event{Task: "and " + Count(f.more, "task") + " more"}, string(event.Skipped), f.message, width)
	}
	*f = fold{message: e.Message, shown: skipped}
	return lines
}

package view

import "kinit/engine/event"

// leastColumns is the width below which a task's columns have no room beside each
// other.
const leastColumns = 60

func isNarrow(width int) bool { return width > 0 && width < leastColumns }

// narrow is a task on two short lines: how it ended and which it is, then where and
// what became of it.
func (l *liner) narrow(e event.Event, word, text, line, wordStyle string, width int) []string {
	l.status = max(l.status, cells(word))
	where := clean(e.Host)
	if where != "" {
		where += "  "
	}
	first := []span{{pad(word, l.status) + "  ", wordStyle}, {clean(e.Task), line}}
	lines := []string{render(first, width, l.colour)}
	if where+text == "" {
		return lines
	}
	second := []span{{spaces(l.status + 2), plain}, {where + text, line}}
	return append(lines, render(second, width, l.colour))
}

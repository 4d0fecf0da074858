package view

import (
	"slices"
	"strings"

	"kinit/engine/event"
)

// streams are the values that commands wrote.
var streams = [...]string{"stdout", "stderr"}

// values are the lines below a finished task with the values that it returned: all of them, or
// only what commands wrote.
func (l *liner) values(values []event.Value, all bool, width int) []string {
	var lines []string
	for _, v := range values {
		wrote := slices.Contains(streams[:], v.Name)
		text := strings.TrimRight(v.Text, "\n")
		if text == "" || !wrote && !all {
			continue
		}
		if v.Cut > 0 {
			text += "\n(" + Count(v.Cut, "byte") + " more, which the log may have)"
		}
		if !wrote && !strings.Contains(text, "\n") {
			lines = append(lines, wrap("    "+v.Name+" = "+text, width)...)
			continue
		}
		lines = append(lines, "    "+v.Name+":")
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, wrap("      "+line, width)...)
		}
	}
	return lines
}

package view

import (
	"fmt"
	"strings"

	"kinit/engine/event"
)

// liner writes finished tasks as lines, and remembers how wide their columns
// were so that they stay aligned.
type liner struct {
	colour                    bool
	host, status, stage, task int // columns, growing
}

// usualStage is the width of the stages' column once there is one: services.
const usualStage = 8

// stageCell is the column of stages, nothing as long as no task had one.
func (l *liner) stageCell(stage string) string {
	stage = clean(stage)
	if stage != "" {
		l.stage = max(l.stage, usualStage, cells(stage))
	}
	if l.stage == 0 {
		return ""
	}
	return pad(stage, l.stage) + "  "
}

// finished is the line of a task that ended: host, status, stage, task, time,
// and what changed or why not. width limits it, 0 for no limit.
func (l *liner) finished(e event.Event, width int) []string {
	line, word := styles(e.Status)
	if isNarrow(width) {
		return l.narrow(e, string(e.Status), Seconds(e.Duration)+"  "+outcome(e), line, word, width)
	}
	task := clean(e.Task)
	host, status := clean(e.Host), string(e.Status)
	l.host = max(l.host, cells(host))
	l.status = max(l.status, cells(status))
	if most := max(24, width*2/5); width == 0 || cells(task) <= most { // a longer one stands out of its column
		l.task = max(l.task, cells(task))
	}

	said := line
	if e.Status == event.OK && e.Message != "" {
		said = plain
	}
	spans := []span{
		{pad(host, l.host) + "  ", line},
		{pad(status, l.status) + "  ", word},
		{l.stageCell(e.Stage), line},
		{pad(task, l.task) + "  ", line},
		{pad(Seconds(e.Duration), 5) + "  ", line},
	}
	return l.joined(spans, outcome(e), said, width)
}

// joined is a line and the text that it ends with. Without room for all of the text, the text
// has lines of its own, so that it does not lose its end.
func (l *liner) joined(spans []span, text, style string, width int) []string {
	used := cells(text)
	for _, s := range spans {
		used += cells(s.text)
	}
	if width <= 0 || used <= width {
		return []string{render(append(spans, span{text, style}), width, l.colour)}
	}
	lines := []string{render(spans, width, l.colour)}
	for _, line := range wrap("    "+text, width) {
		lines = append(lines, render([]span{{line, style}}, width, l.colour))
	}
	return lines
}

// styles gives the colours of a line and of its status: what needs no attention
// is dim, what went wrong is red altogether.
func styles(status event.Status) (line, word string) {
	switch status {
	case event.Failed, event.Unreachable:
		return red, red
	case event.Changed:
		return plain, yellow
	}
	return dim, dim
}

func outcome(e event.Event) string {
	if text := headline(e.Message); text != "" {
		return text
	}
	if len(e.Steps) == 0 {
		return ""
	}
	text := headline(e.Steps[0])
	if more := len(e.Steps) - 1; more > 0 {
		text += fmt.Sprintf(" (+%d)", more)
	}
	return text
}

// message returns the further lines of a finished task's message. A
// failed task's message is in its diagnostic.
func (l *liner) message(e event.Event, width int) []string {
	_, rest, more := strings.Cut(strings.Trim(e.Message, "\n"), "\n")
	if !more || e.Status != event.OK && e.Status != event.Changed {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(rest, "\n") {
		lines = append(lines, render([]span{{"    " + clean(line), plain}}, width, l.colour))
	}
	return lines
}

// steps are the lines below a finished task that show its steps in full: each
// step's text, and its diff. A single step's first line is on the task's line
// already.
func (l *liner) steps(e event.Event, width int) []string {
	var lines []string
	for _, step := range e.Steps {
		first, rest, _ := strings.Cut(strings.Trim(step, "\n"), "\n")
		if len(e.Steps) > 1 || e.Message != "" {
			lines = append(lines, render([]span{{"    " + clean(first), plain}}, width, l.colour))
		}
		if rest == "" {
			continue
		}
		for line := range strings.SplitSeq(rest, "\n") {
			text := clean(line)
			lines = append(lines, render([]span{{"      " + text, diffStyle(text)}}, width, l.colour))
		}
	}
	return lines
}

func diffStyle(line string) string {
	switch trimmed := strings.TrimLeft(line, " "); {
	case strings.HasPrefix(trimmed, "+"):
		return green
	case strings.HasPrefix(trimmed, "-"):
		return red
	case strings.HasPrefix(trimmed, "@@"):
		return cyan
	}
	return dim
}

// began is the line of a task or of a step that starts.
func (l *liner) began(e event.Event, width int) []string {
	if e.Kind == event.StepStarted {
		return l.note(e, "step", stepText(e), width)
	}
	return l.note(e, "start", "", width)
}

// waits is the line of a run that waits for another, or replaces it.
func (l *liner) waits(e event.Event, width int) string {
	what := "waits"
	if e.Kind == event.RunTook {
		what = "takes"
	}
	return render([]span{{fmt.Sprintf("%-10s %s    %s", e.Host, what, clean(e.Message)), yellow}}, width, l.colour)
}

// meant lists the hosts that a run will work on if the command line names none.
func (l *liner) meant(p *event.Plan, width int) []string {
	worked := map[string]bool{}
	for _, t := range p.Tasks {
		worked[t.Host] = true
	}
	var names []string
	for _, h := range p.Hosts {
		if worked[h.Name] {
			names = append(names, clean(h.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return wrap("changes "+strings.Join(names, ", ")+": hosts of the inventory, since --hosts names none", width)
}

// beat is the line of a task that still runs, where nothing is redrawn.
func (l *liner) beat(r *running, elapsed string) string {
	text := r.text
	if p := r.progress; p.Total > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%d%%  %s/%s  %s",
			percent(p.Done, p.Total), size(p.Done), size(p.Total), text))
	}
	return render([]span{{
		pad(clean(r.host), l.host) + "  still running  " + clean(r.task) + "  " + elapsed + "  " + text, plain,
	}}, 0, false)
}

// note is a dim line about the task of an event: a word for the status, and a text.
func (l *liner) note(e event.Event, word, text string, width int) []string {
	if isNarrow(width) {
		return l.narrow(e, word, text, dim, dim, width)
	}
	return []string{render([]span{{
		pad(clean(e.Host), l.host) + "  " + pad(word, l.status) + "  " + l.stageCell(e.Stage) +
			pad(clean(e.Task), l.task) + spaces(9) + text, dim,
	}}, width, l.colour)}
}

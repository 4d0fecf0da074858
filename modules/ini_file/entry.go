package inifile

import (
	"strings"
)

// entry is an option in the file, with the lines that continue it.
type entry struct {
	start, end int
	prefix     string  // what comes before the value: indentation, name, separator and spaces
	value      *string // nil for an option without a separator
}

func (e entry) fits(want *string) bool {
	if want == nil || e.value == nil {
		return want == e.value
	}
	return *want == *e.value
}

// entries returns where the option is in its section.
func (t *Task) entries(lines []string) []entry {
	var all []entry
	for _, p := range t.parts(lines) {
		for i := p.start; i < p.end; i++ {
			if e, is := t.entry(lines, i, p.end); is {
				all = append(all, e)
			}
			i = t.valueEnd(lines, i, p.end) - 1
		}
	}
	return all
}

// entry reads the option that begins in a line, if it is the wanted one.
func (t *Task) entry(lines []string, at, end int) (entry, bool) {
	line := lines[at]
	if comment(line) {
		return entry{}, false
	}
	name, value, separated := strings.Cut(line, t.sign())
	if strings.TrimSpace(name) != t.Option {
		return entry{}, false
	}
	e := entry{start: at, end: at + 1, prefix: line}
	if !separated {
		return e, true
	}
	text := strings.TrimSpace(value)
	e.prefix = line[:len(line)-len(strings.TrimLeft(value, " \t"))]
	for ; e.end < end && continues(line, lines[e.end]); e.end++ {
		text += "\n" + strings.TrimSpace(lines[e.end])
	}
	e.value = &text
	return e, true
}

// valueEnd returns where the value ends of the option that begins in a line. What is indented more is
// a part of it, whatever it looks like, also behind comments.
func (t *Task) valueEnd(lines []string, at, end int) int {
	last := at + 1
	if !isOption(lines[at]) || !strings.Contains(lines[at], t.sign()) {
		return last
	}
	for i := at + 1; i < end; i++ {
		switch {
		case continues(lines[at], lines[i]):
			last = i + 1
		case isOption(lines[i]):
			return last
		}
	}
	return last
}

// continues reports whether a line continues the option of another: it is indented more.
func continues(option, line string) bool {
	return strings.TrimSpace(line) != "" && !comment(line) && indent(line) > indent(option)
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func (t *Task) sign() string { return strings.TrimSpace(t.Separator) }

// format returns the lines of an option with a value.
func (t *Task) format(prefix string, value *string) []string {
	space := prefix[:indent(prefix)]
	switch {
	case value == nil:
		return []string{space + t.Option}
	case !strings.Contains(prefix, t.sign()):
		prefix = space + t.Option + t.Separator
	}
	lines := strings.Split(*value, "\n")
	for i := range lines[1:] {
		lines[i+1] = space + "    " + lines[i+1]
	}
	lines[0] = strings.TrimRight(prefix+lines[0], " \t")
	return lines
}

// prefix returns the indentation for a new option: that of the option before it.
func (t *Task) prefix(lines []string) string {
	at := t.place(lines)
	if at == 0 {
		return ""
	}
	before := at - 1
	if !isOption(lines[before]) {
		return ""
	}
	for i := before - 1; i >= 0 && isOption(lines[i]); i-- {
		if continues(lines[i], lines[before]) && strings.Contains(lines[i], t.sign()) {
			before = i // its value has several lines
		}
	}
	return lines[before][:indent(lines[before])]
}

func isOption(line string) bool {
	_, is := header(line)
	return !is && !comment(line) && strings.TrimSpace(line) != ""
}

// place returns where a new option is inserted: behind the last of the same name, behind a
// comment that has it, or behind the last option of the section.
func (t *Task) place(lines []string) int {
	if have := t.entries(lines); len(have) > 0 {
		return have[len(have)-1].end
	}
	all := t.parts(lines)
	if len(all) == 0 {
		return len(lines)
	}
	last := all[len(all)-1]
	for _, p := range all {
		for i := p.start; i < p.end; i++ {
			if t.commented(lines[i]) {
				return i + 1
			}
		}
	}
	at := last.start
	for i := last.start; i < last.end; i++ {
		if strings.TrimSpace(lines[i]) != "" && (!comment(lines[i]) || t.Section != "") {
			at = i + 1
		}
	}
	return at
}

// commented reports whether a line has the option in a comment.
func (t *Task) commented(line string) bool {
	inner := strings.TrimLeft(strings.TrimSpace(line), "#; \t")
	name, _, separated := strings.Cut(inner, t.sign())
	return comment(line) && separated && strings.TrimSpace(name) == t.Option
}

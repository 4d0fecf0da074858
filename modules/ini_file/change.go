package inifile

import (
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/modules/internal/content"
)

func (t *Task) change(text string) (string, error) {
	before := content.Split(text)
	after := before
	switch {
	case t.Option == "" && t.Absent():
		after = t.withoutSection(before)
	case t.Option == "":
		after = t.withSection(before)
	default:
		after = t.withOption(before)
	}
	if slices.Equal(before, after) {
		return text, nil // even if its last line has no end
	}
	return content.Join(after), nil
}

// part is a section of the file: its lines, without those of its header.
type part struct{ start, end int }

// parts returns where the section is; there can be several of one name.
func (t *Task) parts(lines []string) []part {
	var all []part
	start, inside := 0, t.Section == ""
	for i := range len(lines) + 1 {
		name, ends := "", i == len(lines)
		if !ends {
			name, ends = header(lines[i])
		}
		if ends && inside {
			all = append(all, part{start, i})
		}
		if ends {
			start, inside = i+1, name == t.Section
		}
	}
	return all
}

// header returns the name of the section that a line begins.
func header(line string) (string, bool) {
	inner, begins := strings.CutPrefix(strings.TrimSpace(line), "[")
	name, _, closed := strings.Cut(inner, "]")
	return strings.TrimSpace(name), begins && closed
}

func comment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";")
}

func (t *Task) withoutSection(lines []string) []string {
	lines = slices.Clone(lines)
	for _, p := range slices.Backward(t.parts(lines)) {
		lines = slices.Delete(lines, p.start-1, p.end)
	}
	return lines
}

func (t *Task) withSection(lines []string) []string {
	if len(t.parts(lines)) > 0 {
		return lines
	}
	lines = slices.Clone(lines)
	if len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) != "" {
		lines = append(lines, "")
	}
	return append(lines, "["+t.Section+"]")
}

// withOption gives the option its values: it changes the first of its entries, adds the
// missing ones behind and removes the others.
func (t *Task) withOption(lines []string) []string {
	if !t.Absent() && t.Section != "" {
		lines = t.withSection(lines)
	}
	have, want := t.entries(lines), t.wanted()
	lines = slices.Clone(lines)
	for i, e := range slices.Backward(have) {
		switch {
		case i >= len(want):
			lines = slices.Delete(lines, e.start, e.end)
		case !e.fits(want[i]):
			lines = slices.Replace(lines, e.start, e.end, t.format(e.prefix, want[i])...)
		}
	}
	if len(have) >= len(want) {
		return lines
	}
	var added []string
	for _, value := range want[len(have):] {
		added = append(added, t.format(t.prefix(lines), value)...)
	}
	return slices.Insert(lines, t.place(lines), added...)
}

// wanted returns the values of the option, nil for one without a value.
func (t *Task) wanted() []*string {
	values := t.values()
	switch {
	case t.Absent():
		return nil
	case len(values) == 0:
		return []*string{nil}
	}
	return lists.Map(values, func(value string) *string { return &value })
}

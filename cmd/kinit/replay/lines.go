package replay

import (
	"strings"

	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// Line is a line of HCL.
type Line struct {
	Number int
	Text   string // clean
	Marked bool   // the problem is about it
}

// Lines are those of the task block that a problem is in, else those that it showed on
// the terminal; of a long block, at most so many around the problem.
func (r *Run) Lines(p event.Problem, most int) []Line {
	if p.Range == nil {
		return nil
	}
	text, from := r.block(p)
	if text == "" {
		return nil
	}
	var out []Line
	for i, each := range strings.Split(text, "\n") {
		n := from + i
		out = append(out, Line{Number: n, Text: view.Clean(each), Marked: n >= p.Range.Start.Line && n <= p.Range.End.Line})
	}
	if len(out) <= most {
		return out
	}
	first := min(max(0, p.Range.Start.Line-from-most/3), len(out)-most)
	return out[first : first+most]
}

// block is the text to show of a problem, and the number of its first line.
func (r *Run) block(p event.Problem) (text string, from int) {
	if p.Source != nil {
		text, from = p.Source.Text, p.Source.Line
	}
	for _, b := range r.Plan.Blocks {
		if b.Range.File == p.Range.File && b.Range.Start.Line <= p.Range.Start.Line && p.Range.End.Line <= b.Range.End.Line && b.Text != "" {
			text, from = b.Text, b.Range.Start.Line
		}
	}
	return text, from
}

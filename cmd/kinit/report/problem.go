package report

import (
	"strings"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// problem is a diagnostic as the page shows it. All texts are clean.
type problem struct {
	Warning bool
	Summary string
	Detail  string
	Address string
	Task    int // index of the task, -1 without one
	Host    string
	Place   string // such as site.hcl:12
	In      string // the block the place is in
	Lines   []line
	Command *event.Command
	Stderr  string
	Stdout  string
}

// line is a line of HCL.
type line struct {
	Number int
	Text   string
	Marked bool // the problem is about it
}

func newProblem(r *replay.Run, p event.Problem) *problem {
	out := &problem{Warning: p.Severity == "warning", Summary: view.Clean(p.Summary), Detail: view.Clean(p.Detail),
		Address: view.Clean(p.Address), Host: view.Clean(p.Host), Task: -1}
	for _, t := range r.Tasks {
		if p.Address != "" && t.Address == p.Address {
			out.Task = t.Index
		}
	}
	if p.Command != nil {
		out.Command = &event.Command{Line: view.Clean(p.Command.Line), Code: p.Command.Code}
		out.Stdout, out.Stderr = view.Clean(p.Command.Stdout), view.Clean(p.Command.Stderr)
		out.Detail = withoutOutput(out)
	}
	if p.Range == nil {
		return out
	}
	out.Place = view.Clean(p.Range.File)
	if p.Source != nil {
		out.In = view.Clean(p.Source.In)
	}
	out.Lines = lines(r.Plan.Blocks, p)
	return out
}

// withoutOutput leaves out of a detail what stands below it anyway: the command
// and the end of what it wrote.
func withoutOutput(p *problem) string {
	first, rest, _ := strings.Cut(p.Detail, "\n")
	said := strings.TrimSpace(p.Stderr)
	if said == "" {
		said = strings.TrimSpace(p.Stdout)
	}
	if rest != "" && strings.HasSuffix(said, strings.TrimSpace(rest)) {
		return strings.TrimSuffix(first, ": "+p.Command.Line)
	}
	return p.Detail
}

// lines are those of the task block that the problem is in, else those that it
// showed on the terminal.
func lines(blocks []event.Block, p event.Problem) []line {
	text, from := "", 0
	if p.Source != nil {
		text, from = p.Source.Text, p.Source.Line
	}
	for _, b := range blocks {
		if b.Range.File == p.Range.File && b.Range.Start.Line <= p.Range.Start.Line && p.Range.End.Line <= b.Range.End.Line && b.Text != "" {
			text, from = b.Text, b.Range.Start.Line
		}
	}
	if text == "" {
		return nil
	}
	var out []line
	for i, each := range strings.Split(text, "\n") {
		n := from + i
		out = append(out, line{Number: n, Text: view.Clean(each), Marked: n >= p.Range.Start.Line && n <= p.Range.End.Line})
	}
	if len(out) <= mostLines {
		return out
	}
	first := min(max(0, p.Range.Start.Line-from-mostLines/3), len(out)-mostLines)
	return out[first : first+mostLines]
}

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
	Lines   []replay.Line
	Command *event.Command
	Stderr  string
	Stdout  string
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
	out.Lines = r.Lines(p, mostLines)
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

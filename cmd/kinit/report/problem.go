package report

import (
	"cmp"
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
	Also    []other // hosts that it happened on too
}

// other is where a problem happened too.
type other struct {
	Host    string
	Address string
	Task    int // index of the task, -1 without one
}

// newGroup is problems that are alike: the first, and where it happened too.
func newGroup(r *replay.Run, g replay.Group) *problem {
	out := newProblem(r, g.First)
	for _, p := range g.Others {
		out.Also = append(out.Also, other{Host: view.Clean(p.Host), Address: view.Clean(p.Address), Task: taskOf(r, p)})
	}
	return out
}

// taskOf is the index of a problem's task, -1 without one.
func taskOf(r *replay.Run, p event.Problem) int {
	if t := r.Task(p.Address); t != nil && p.Address != "" {
		return t.Index
	}
	return -1
}

// Hosts is how many hosts it happened on.
func (p *problem) Hosts() int { return 1 + len(p.Also) }

func newProblem(r *replay.Run, p event.Problem) *problem {
	out := &problem{Warning: p.Severity == "warning", Summary: view.Clean(p.Summary), Detail: view.Clean(p.Detail),
		Address: view.Clean(p.Address), Host: view.Clean(p.Host), Task: taskOf(r, p)}
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
	said := cmp.Or(strings.TrimSpace(p.Stderr), strings.TrimSpace(p.Stdout))
	if rest != "" && strings.HasSuffix(said, strings.TrimSpace(rest)) {
		return strings.TrimSuffix(first, ": "+p.Command.Line)
	}
	return p.Detail
}

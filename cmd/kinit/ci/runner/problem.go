package runner

import (
	"fmt"
	"strings"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// The limits of a recorded problem.
const (
	mostDetail = 3000 // bytes
	mostLines  = 24   // of HCL
	mostTasks  = 10   // named in a sentence
)

// blockOf returns the position of a task's block, if there is such a task and block.
func blockOf(run *replay.Run, t *replay.Task) *event.Range {
	if t == nil || t.Block < 0 || t.Block >= len(run.Plan.Blocks) {
		return nil
	}
	return &run.Plan.Blocks[t.Block].Range
}

func newProblem(run *replay.Run, p event.Problem) result.Problem {
	out := result.Problem{
		Summary: view.Clean(p.Summary), Detail: cut(view.Clean(p.Detail)), Address: view.Clean(p.Address), Host: view.Clean(p.Host),
	}
	if p.Command != nil {
		out.Command = &event.Command{Line: cut(view.Clean(p.Command.Line)), Code: p.Command.Code}
	}
	if p.Range != nil {
		out.Place = fmt.Sprintf("%s:%d", view.Clean(p.Range.File), p.Range.Start.Line)
	}
	if p.Source != nil {
		out.In = view.Clean(p.Source.In)
	}
	out.Lines = run.Lines(p, mostLines)
	return signed(out)
}

func signed(p result.Problem) result.Problem {
	p.Signature = result.Sign(p)
	return p
}

// cut omits the middle of a long text: the beginning has its subject and the end has the
// failure.
func cut(text string) string {
	if len(text) <= mostDetail {
		return text
	}
	return strings.ToValidUTF8(text[:mostDetail/3], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-2*mostDetail/3:], "")
}

// some joins lines, and counts the rest beyond a limit.
func some(lines []string) string {
	if len(lines) <= mostTasks {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:mostTasks], "\n") + fmt.Sprintf("\nand %d more", len(lines)-mostTasks)
}

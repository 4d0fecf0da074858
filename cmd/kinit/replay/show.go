package replay

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// Show shows a run to a view as if it happened now.
func Show(log *runlog.Run, to view.View) {
	for _, e := range log.Events {
		to.Emit(e)
	}
	run := Of(log)
	to.Close(run.Report(), max(run.ExitCode, 0))
}

// Report is what the engine reported at the end of the run.
func (r *Run) Report() *engine.Report {
	out := &engine.Report{
		Cluster: r.Plan.Cluster, Invalid: r.Verdict == Invalid, Tasks: r.Total,
		Interrupted: r.Verdict == Interrupted || r.Verdict == Died || r.Verdict == Running,
		Results:     r.results(), Stages: r.Stages, Hosts: r.Hosts, Outputs: r.Outputs, Removals: r.Removals, Duration: r.Duration(),
		Sources: map[string]*hcl.File{},
	}
	for i, p := range r.Problems {
		out.Diagnostics = append(out.Diagnostics, diagnostic(i, p, out.Sources))
	}
	return out
}

// results are the tasks that came to their end.
func (r *Run) results() []engine.Result {
	var out []engine.Result
	for _, t := range r.Tasks {
		if t.Status == "" {
			continue
		}
		result := engine.Result{Address: t.Address, Host: t.Host, Stage: t.Stage, Status: t.Status,
			Message: t.Message, Started: t.Started, Duration: t.Duration}
		for _, step := range t.Steps {
			if step.Done {
				result.Steps = append(result.Steps, step.Text)
			}
		}
		out = append(out, result)
	}
	return out
}

// outputs are a summary's outputs by name. The value of a sensitive one is only a
// mask.
func outputs(values map[string]string) []engine.Output {
	var out []engine.Output
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, engine.Output{Name: name, Value: values[name], Sensitive: values[name] == engine.Hidden})
	}
	return out
}

// diagnostic is a problem with a file that has the lines it shows, and empty ones
// before them.
func diagnostic(i int, p event.Problem, sources map[string]*hcl.File) diag.Diagnostic {
	d := diag.Diagnostic{Warning: p.Severity == "warning", Summary: p.Summary, Detail: p.Detail, Address: p.Address, Host: p.Host}
	if p.Range == nil {
		return d
	}
	d.Subject = &hcl.Range{Filename: p.Range.File, Start: position(p.Range.Start), End: position(p.Range.End)}
	if p.Source == nil {
		return d
	}
	file := sources[p.Range.File]
	if file == nil {
		file = &hcl.File{Nav: blocks{}}
		sources[p.Range.File] = file
	}
	d.Subject.Start.Byte = i
	file.Nav.(blocks)[i] = p.Source.In
	file.Bytes = put(file.Bytes, p.Source.Line, p.Source.Text)
	shown := strings.Count(p.Source.Text, "\n")
	d.Context = &hcl.Range{Filename: p.Range.File, Start: hcl.Pos{Line: p.Source.Line}, End: hcl.Pos{Line: p.Source.Line + shown}}
	return d
}

func position(p event.Position) hcl.Pos { return hcl.Pos{Line: p.Line, Column: p.Column} }

// put writes lines into a file from a line on, and makes the file longer where it
// is too short.
func put(file []byte, from int, text string) []byte {
	lines := strings.Split(string(file), "\n")
	for i, line := range strings.Split(text, "\n") {
		for len(lines) < from+i {
			lines = append(lines, "")
		}
		lines[from+i-1] = line
	}
	return []byte(strings.Join(lines, "\n"))
}

// blocks finds the block that a place is in, for hcled.ContextString. A place is the
// number of its problem.
type blocks map[int]string

// ContextString names the block.
func (b blocks) ContextString(offset int) string { return b[offset] }

// Text is a view that shows the run as the terminal did; with details, with every
// step, diff and retry.
func Text(log *runlog.Run, out, err view.Screen, details bool) *view.Text {
	mode := view.Run
	if log.Header.Check {
		mode = view.Plan
	}
	return view.NewText(view.Options{
		Out: out, Err: err, Mode: mode, Spec: log.Header.Spec, Verbose: details, Diff: details || log.Header.Check,
		Now: func() time.Time { return log.Header.Started },
	})
}

// Line is a line of HCL.
type Line struct {
	Number int    `json:"line"`
	Text   string `json:"text"`             // clean
	Marked bool   `json:"marked,omitempty"` // the problem is about it
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

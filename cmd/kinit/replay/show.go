package replay

import (
	"maps"
	"slices"
	"strings"

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
		Results:     r.results(), Stages: r.Stages, Hosts: r.Hosts, Outputs: r.Outputs, Duration: r.Duration(),
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

// blocks tells in which block a place is, for hcled.ContextString. A place is the
// number of its problem.
type blocks map[int]string

// ContextString names the block.
func (b blocks) ContextString(offset int) string { return b[offset] }

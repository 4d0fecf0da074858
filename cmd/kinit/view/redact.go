package view

import (
	"maps"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// Redacted masks secrets in the texts of events on their way to a sink.
type Redacted struct {
	Next   event.Sink
	Redact func(string) string
}

// Emit masks the event's texts and passes it on.
func (s Redacted) Emit(e event.Event) {
	e.Task = s.Redact(e.Task)
	e.Message = s.Redact(e.Message)
	e.Steps = redactAll(e.Steps, s.Redact)
	if e.Progress != nil {
		progress := *e.Progress
		progress.Text = s.Redact(progress.Text)
		e.Progress = &progress
	}
	e.Values = redactValues(e.Values, s.Redact)
	e.Problem = redactProblem(e.Problem, s.Redact)
	e.Plan = redactPlan(e.Plan, s.Redact)
	s.Next.Emit(e)
}

// RedactReport returns a copy of the report with secrets masked, the source
// lines included. The values of sensitive outputs are gone altogether.
func RedactReport(r *engine.Report, redact func(string) string) *engine.Report {
	out := *r
	out.Results = make([]engine.Result, len(r.Results))
	for i, result := range r.Results {
		result.Address = redact(result.Address)
		result.Message = redact(result.Message)
		result.Steps = redactAll(result.Steps, redact)
		out.Results[i] = result
	}
	out.Outputs = make([]engine.Output, len(r.Outputs))
	for i, output := range r.Outputs {
		output.Value = redact(output.Value)
		if output.Sensitive {
			output.Value = engine.Hidden
		}
		out.Outputs[i] = output
	}
	out.Diagnostics = redactDiagnostics(r.Diagnostics, redact)
	out.Sources = redactSources(r.Sources, r.Diagnostics, redact)
	shiftSubjects(out.Diagnostics, r, out.Sources)
	return &out
}

func redactDiagnostics(list diag.List, redact func(string) string) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		d.Summary = redact(d.Summary)
		d.Detail = redact(d.Detail)
		d.Address = redact(d.Address)
		out[i] = d
	}
	return out
}

// redactSources masks the files that diagnostics point into, line by line, so
// that line numbers stay what they are.
func redactSources(sources map[string]*hcl.File, list diag.List, redact func(string) string) map[string]*hcl.File {
	out := maps.Clone(sources)
	done := map[string]bool{}
	for _, d := range list {
		if d.Subject == nil || done[d.Subject.Filename] || sources[d.Subject.Filename] == nil {
			continue
		}
		done[d.Subject.Filename] = true
		file := *sources[d.Subject.Filename]
		var masked strings.Builder
		for line := range strings.Lines(string(file.Bytes)) {
			text := strings.TrimRight(line, "\r\n")
			masked.WriteString(redact(text))
			masked.WriteString(line[len(text):])
		}
		file.Bytes = []byte(masked.String())
		out[d.Subject.Filename] = &file
	}
	return out
}

func redactAll(texts []string, redact func(string) string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = redact(text)
	}
	return out
}

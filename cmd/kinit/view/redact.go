package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/module"
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
	e.Values = changed(e.Values, func(v *event.Value) { v.Text = s.Redact(v.Text) })
	e.Problem = redactProblem(e.Problem, s.Redact)
	e.Plan = redactPlan(e.Plan, s.Redact)
	s.Next.Emit(e)
}

// RedactReport returns a copy of the report with secrets masked, the source
// lines included. The values of sensitive outputs are gone altogether.
func RedactReport(r *engine.Report, redact func(string) string) *engine.Report {
	out := *r
	out.Results = changed(r.Results, func(t *engine.Result) {
		t.Address, t.Message, t.Steps = redact(t.Address), redact(t.Message), redactAll(t.Steps, redact)
		t.Removes = changed(t.Removes, func(r *module.Removed) { r.Name, r.Parts = redact(r.Name), redactAll(r.Parts, redact) })
	})
	out.Outputs = changed(r.Outputs, func(o *engine.Output) {
		o.Value = redact(o.Value)
		if o.Sensitive {
			o.Value = engine.Hidden
		}
	})
	out.Diagnostics = changed(r.Diagnostics, func(d *diag.Diagnostic) {
		d.Summary, d.Detail, d.Address = redact(d.Summary), redact(d.Detail), redact(d.Address)
	})
	out.Removals = redactRemovals(r.Removals, redact)
	out.Sources = redactSources(r.Sources, r.Diagnostics, redact)
	shiftSubjects(out.Diagnostics, r, out.Sources)
	return &out
}

func redactRemovals(list []event.Removal, redact func(string) string) []event.Removal {
	return changed(list, func(r *event.Removal) {
		r.Name, r.Why, r.By = redact(r.Name), redact(r.Why), redact(r.By)
	})
}

// changed returns a copy of a list with each item changed.
func changed[T any](list []T, change func(*T)) []T {
	out := slices.Clone(list)
	for i := range out {
		change(&out[i])
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
	return changed(texts, func(text *string) { *text = redact(*text) })
}

func redactProblem(p *event.Problem, redact func(string) string) *event.Problem {
	if p == nil {
		return nil
	}
	out := *p
	out.Summary, out.Detail, out.Address = redact(p.Summary), redact(p.Detail), redact(p.Address)
	if p.Source != nil {
		source := *p.Source
		source.Text = redact(source.Text)
		out.Source = &source
	}
	if p.Command != nil {
		out.Command = &event.Command{Code: p.Command.Code,
			Line: redact(p.Command.Line), Stdout: redact(p.Command.Stdout), Stderr: redact(p.Command.Stderr)}
	}
	return &out
}

func redactPlan(p *event.Plan, redact func(string) string) *event.Plan {
	if p == nil {
		return nil
	}
	out := *p
	out.Variables = make(map[string]string, len(p.Variables))
	for name, value := range p.Variables {
		out.Variables[name] = redact(value)
	}
	out.Removals = redactRemovals(p.Removals, redact)
	out.Blocks = changed(p.Blocks, func(b *event.Block) { b.Text = redact(b.Text) })
	out.Topology = redactTopology(p.Topology, redact)
	out.Tasks = changed(p.Tasks, func(t *event.Task) { t.Address = redact(t.Address) })
	return &out
}

// redactTopology masks secrets in the names that a spec and a playbook choose; addresses are the engine's.
func redactTopology(t *event.Topology, redact func(string) string) *event.Topology {
	if t == nil {
		return nil
	}
	out := *t
	out.Cluster, out.Domain, out.Pools = redact(t.Cluster), redact(t.Domain), redactAll(t.Pools, redact)
	out.Nodes = changed(t.Nodes, func(n *event.Node) { n.Name, n.Pool, n.OS = redact(n.Name), redact(n.Pool), redact(n.OS) })
	out.Pods = changed(t.Pods, func(p *event.Pod) {
		p.Name = redact(p.Name)
		p.Services = changed(p.Services, func(s *event.Service) { s.Name, s.Title = redact(s.Name), redact(s.Title) })
	})
	if t.Overlay != nil {
		overlay := *t.Overlay
		overlay.Switch, overlay.Router = redact(overlay.Switch), redact(overlay.Router)
		out.Overlay = &overlay
	}
	return &out
}

package view

import (
	"kinit/engine/event"
)

func redactValues(values []event.Value, redact func(string) string) []event.Value {
	if values == nil {
		return nil
	}
	out := make([]event.Value, len(values))
	for i, v := range values {
		v.Text = redact(v.Text)
		out[i] = v
	}
	return out
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
	out.Blocks = make([]event.Block, len(p.Blocks))
	for i, b := range p.Blocks {
		out.Blocks[i] = event.Block{Range: b.Range, Text: redact(b.Text)}
	}
	out.Tasks = make([]event.Task, len(p.Tasks))
	for i, t := range p.Tasks {
		t.Address = redact(t.Address)
		out.Tasks[i] = t
	}
	return &out
}

package engine

import (
	"strings"

	"kinit/engine/event"
	"kinit/engine/internal/sensitive"
)

// describe returns the plan's graph, the hosts and the values of variables.
func (p *planned) describe() *event.Plan {
	out := p.plan.Describe(p.spec.Stages)
	for _, h := range p.hosts {
		out.Hosts = append(out.Hosts, event.Host{Name: h.Name, Address: h.Address})
	}
	out.Enrols = p.asks().Enrols(p.topology, p.found)
	redact := p.options.Redactor.Redact
	out.Variables, out.Topology = variables(p.evaluated, redact), drawing(p.built, redact)
	if p.consent != nil {
		out.Removals = p.consent.Planned
	}
	redactBlocks(out.Blocks, redact)
	return out
}

// variables returns the values of the spec's variables, with secrets masked.
func variables(e evaluated, redact func(string) string) map[string]string {
	values := e.scope.Variables()
	out := map[string]string{}
	for _, v := range e.spec.Root.Variables {
		out[v.Name] = redact(sensitive.Text(values[v.Name]))
	}
	return out
}

// redactBlocks masks secrets in the lines of blocks and keeps their line numbers. A secret
// of several lines hides the whole block but its header.
func redactBlocks(blocks []event.Block, redact func(string) string) {
	for i, b := range blocks {
		whole := redact(b.Text)
		if lines := strings.Count(b.Text, "\n"); strings.Count(whole, "\n") != lines {
			header, _, _ := strings.Cut(b.Text, "\n")
			whole = redact(header) + "\n  ***" + strings.Repeat("\n", lines-1)
		}
		blocks[i].Text = whole
	}
}

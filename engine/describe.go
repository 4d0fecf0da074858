package engine

import (
	"strings"

	"kinit/engine/event"
	"kinit/engine/internal/sensitive"
)

// describe returns the plan's graph, the hosts and the values of variables.
func (l *loaded) describe() *event.Plan {
	out := l.plan.Describe(l.spec.Stages)
	for _, h := range l.hosts {
		out.Hosts = append(out.Hosts, event.Host{Name: h.Name, Address: h.Address})
	}
	out.Variables = l.variables()
	redactBlocks(out.Blocks, l.options.Redactor.Redact)
	return out
}

// variables returns the values of the spec's variables, with secrets masked.
func (l *loaded) variables() map[string]string {
	values := l.scope.Variables()
	out := map[string]string{}
	for _, v := range l.spec.Root.Variables {
		out[v.Name] = l.options.Redactor.Redact(sensitive.Text(values[v.Name]))
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

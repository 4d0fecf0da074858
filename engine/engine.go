// Package engine expands a spec into a graph of tasks and walks it over hosts.
//
// The line a task travels: Run → spec.Load → inventory.Load → topology.Expand →
// plan.Build → run.Run → graph.Walk → the task's module → a step → the transport,
// and back as events and a Report.
package engine

import (
	"context"
	"time"
)

// Validate checks a spec without touching a host: syntax, references, arguments, topology.
// It needs no key for encrypted secrets.
func Validate(ctx context.Context, o Options) *Report {
	started := time.Now()
	l := (&loaded{options: withDefaults(o), keyless: true}).load(ctx)
	return l.report(ctx, started)
}

// Plan reads the hosts and reports what Run would change. It changes nothing.
func Plan(ctx context.Context, o Options) *Report { return walk(ctx, o, true) }

// Run makes the hosts match the spec. When it fails or ctx ends, finished changes remain,
// and the next Run continues from there.
func Run(ctx context.Context, o Options) *Report { return walk(ctx, o, false) }

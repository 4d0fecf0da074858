// Package engine expands a spec into a graph of tasks and walks it over hosts.
//
// The line a task travels: Run → perform → performOnce → makePlan (spec.Load → inventory.Load →
// topology.Expand → plan.Build) → ownership.Take → run.Run → graph.Walk → the task's module → a step →
// the transport, and back as events and a Report. ARCHITECTURE.md names its main functions.
package engine

import (
	"context"

	"kinit/engine/internal/existing"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/lock"
)

// Validate checks a spec without touching a host: syntax, references, arguments, topology.
// It needs no key for encrypted secrets.
func Validate(ctx context.Context, o Options) *Report {
	p, report := makePlan(ctx, o, modeValidate, newIdentity(o))
	p.close()
	if p.plan != nil {
		report.refuse(asWarnings(noHosts(p)))
	}
	return report
}

// Plan reads the hosts and reports what Run would change. It changes nothing. With
// Options.Offline it asks no host: a cluster is shown as if it were new, and what tasks would
// change is not known.
func Plan(ctx context.Context, o Options) *Report {
	_, report := perform(ctx, o, modePlan)
	return report
}

// Run makes the hosts match the spec. When it fails or ctx ends, finished changes remain,
// and the next Run continues from there.
func Run(ctx context.Context, o Options) *Report {
	_, report := perform(ctx, o, modeRun)
	return report
}

// ErrFixed is the cause when a run would change what a cluster keeps for as long as it exists.
var ErrFixed = existing.ErrFixed

// ErrTaken is the cause when another instance has the owner's name on a host.
var ErrTaken = instance.ErrTaken

// ErrLocked is the cause when another run works on what the owner has.
var ErrLocked = lock.ErrHeld

// ErrLockLost is the cause when a run stopped because it lost its lock or could not renew
// it.
var ErrLockLost = lock.ErrLost

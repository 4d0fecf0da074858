// Package engine expands a spec into a graph of tasks and walks it over hosts.
//
// The line a task travels: Run → perform → performOnce → makePlan (spec.Load → inventory.Load →
// topology.Expand → plan.Build) → own → run.Run → graph.Walk → the task's module → a step →
// the transport, and back as events and a Report. ARCHITECTURE.md names its main functions.
package engine

import (
	"context"
	"path/filepath"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/factcache"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
)

// Validate checks a spec without touching a host: syntax, references, arguments, topology.
// It needs no key for encrypted secrets.
func Validate(ctx context.Context, o Options) *Report {
	p, report := makePlan(ctx, o, modeValidate)
	p.close()
	if p.plan != nil {
		report.refuse(asWarnings(p.noHosts()))
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

// perform makes the plan, takes the locks, does the tasks or only looks at what they would
// do, fills the report, and gives the locks back. If another run has changed the places of the
// cluster before this one has its locks, it begins again, once; the second time it refuses the
// run.
func perform(ctx context.Context, o Options, m mode) (*planned, *Report) {
	o.ConfirmRemovals = asked(o.ConfirmRemovals)
	p, report, stale := performOnce(ctx, o, m)
	if stale {
		first := p
		p, report, stale = performOnce(ctx, o, m, func(p *planned) { p.instance, p.fresh = first.instance, first.fresh })
	}
	if stale {
		report.refuse(stalePlan()).end(ctx, p.started)
	}
	return p, report
}

// performOnce is perform, but does not begin again. The plan is stale if it was made of places
// that have changed.
func performOnce(ctx context.Context, o Options, m mode, before ...func(*planned)) (p *planned, report *Report, stale bool) {
	p, report = makePlan(ctx, o, m, before...)
	defer p.close()
	if p.plan == nil {
		return p, report, false
	}
	if none := p.noHosts(); none.HasErrors() {
		report.refuse(none).Invalid = true
		return p, report, false
	}
	p.consent = p.consents()
	report.Removals, report.Enrols = p.consent.planned, p.unnamedHosts()
	if m == modeRun {
		if diags := p.consent.confirmed(ctx); len(diags) > 0 {
			return p, report.refuse(diags).end(ctx, p.started), false
		}
	}
	within, held, diags := p.own(ctx)
	if len(diags) > 0 {
		return p, report.refuse(diags).end(ctx, p.started), false
	}
	if diags := p.unknownRemovals(within); len(diags) > 0 {
		return p, report.refuse(append(diags, held.Release(ctx)...)).end(ctx, p.started), false
	}
	if m == modeRun && (p.changed(within) || p.otherInstance(held.Instance())) {
		held.Release(ctx)
		return p, report, ctx.Err() == nil
	}
	p.options.Events.Emit(event.Event{Time: time.Now(), Kind: event.RunPlanned, Plan: p.describe()})
	result := run.Run(within, p.plan, p.values, p.connections, p.runOptions(within, held))
	p.fill(report, result)
	report.refuse(p.twins(ctx)).refuse(p.forget(ctx, held, report))
	return p, report.refuse(held.Release(ctx)).end(ctx, p.started), false
}

// ErrTaken is the cause when another instance has the owner's name on a host.
var ErrTaken = instance.ErrTaken

// ErrLocked is the cause when another run works on what the owner has.
var ErrLocked = lock.ErrHeld

// ErrLockLost is the cause when a run stopped because it lost its lock or could not renew
// it.
var ErrLockLost = lock.ErrLost

// own makes sure that only this run works on what the plan's owner has, until what it returns is
// released. Without asking hosts there is nothing to own.
func (p *planned) own(ctx context.Context) (context.Context, *ownership.Held, diag.List) {
	if p.plan.Owner == "" || p.offline() {
		return ctx, &ownership.Held{}, nil
	}
	if p.mode == modeStatus {
		p.looking()
		return ctx, &ownership.Held{}, nil
	}
	return ownership.Take(ctx, p.ownership())
}

// looking prepares the connections for callers that only read.
func (p *planned) looking() {
	if p.plan.Owner != "" {
		ownership.Look(p.ownership())
	}
}

func (p *planned) ownership() ownership.Run {
	return ownership.Run{
		Plan: p.plan, Connections: p.connections, Token: p.token, Team: p.inventory.Lock, StateDir: p.options.StateDir,
		Memory: p.options.memory(), Fresh: p.fresh, Backup: p.options.Restore.Instance, Job: p.options.Job.Name, Adopt: p.options.Adopt, Reads: p.mode.check(),
		Events: p.options.Events, Redact: p.options.Redactor.Redact,
	}
}

func (p *planned) runOptions(ctx context.Context, held *ownership.Held) run.Options {
	cached := run.FactCache{Fresh: p.options.FreshFacts, Identify: func(name string) (string, error) {
		settings, err := p.reach.settings(ctx, name)
		if err != nil {
			return "", err
		}
		return host.Identity(settings)
	}}
	if p.options.StateDir != "" {
		cached.Store = factcache.Store{Folder: filepath.Join(p.options.StateDir, "facts"), Redact: p.options.Redactor.Redact}
	}
	owed := run.Pending{Playbook: "spec " + p.spec.Identity, Spec: p.spec.Identity}
	if p.plan.Owner != "" {
		owed.Playbook = "owner " + p.plan.Owner
	}
	if p.options.StateDir != "" {
		owed.Folder = filepath.Join(p.options.StateDir, "pending")
	}
	var removes run.Removes
	if p.consent != nil && p.mode == modeRun {
		removes = p.consent.gate
	}
	return run.Options{
		Pending: owed, Removes: removes,
		Check: p.mode.check(), Ahead: p.mode == modeStatus, Offline: p.offline(), Forks: p.options.Forks, Events: p.options.Events, Redactor: p.options.Redactor,
		Confirm: run.Confirm(p.options.Confirm), FactCache: cached, Lasting: held.Lasting(),
	}
}

func (p *planned) fill(report *Report, result *run.Result) {
	report.Results = append(report.Results, result.Tasks...)
	report.Stages, report.Hosts = Recap(p.plan.Stages, report.Results)
	report.Diagnostics = append(report.Diagnostics, result.Diagnostics...)
	report.Diagnostics = append(report.Diagnostics, p.checks(result.Values)...)
	report.Outputs = p.outputs(result.Values, &report.Diagnostics)
	report.Returning = p.returning()
	if p.consent != nil {
		report.Removals = p.consent.all(result.Tasks)
	}
}

// returning lists the nodes that leave, and that another run recreates.
func (p *planned) returning() []string {
	if p.topology == nil {
		return nil
	}
	var names []string
	for _, l := range p.topology.Leaving {
		if l.Returns {
			names = append(names, l.Name)
		}
	}
	return names
}

func (p *planned) checks(values *plan.Values) diag.List {
	var diags diag.List
	for _, c := range p.plan.Checks {
		if len(c.Pending(values)) == 0 {
			diags = append(diags, c.Run(values)...)
		}
	}
	return diags
}

// Package engine expands a spec into a graph of tasks and walks it over hosts.
//
// The line a task travels: Run → perform → performOnce → makePlan (spec.Load → inventory.Load →
// topology.Expand → plan.Build) → own → run.Run → graph.Walk → the task's module → a step →
// the transport, and back as events and a Report. ARCHITECTURE.md names its main functions.
package engine

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/existing"
	"kinit/engine/internal/factcache"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/removal"
	"kinit/engine/internal/run"
	"kinit/engine/internal/topology"
)

// Validate checks a spec without touching a host: syntax, references, arguments, topology.
// It needs no key for encrypted secrets.
func Validate(ctx context.Context, o Options) *Report {
	p, report := makePlan(ctx, o, modeValidate, newIdentity(o))
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
	o.ConfirmRemovals = removal.Once(o.ConfirmRemovals)
	p, report, stale := performOnce(ctx, o, m, newIdentity(o))
	if stale {
		p, report, stale = performOnce(ctx, o, m, p.identity)
	}
	if stale {
		report.refuse(stalePlan()).end(ctx, p.started)
	}
	return p, report
}

// performOnce is perform, but does not begin again. The plan is stale if it was made of places
// that have changed.
func performOnce(ctx context.Context, o Options, m mode, id identity) (p *planned, report *Report, stale bool) {
	p, report = makePlan(ctx, o, m, id)
	defer p.close()
	if p.plan == nil {
		return p, report, false
	}
	if none := p.noHosts(); none.HasErrors() {
		report.refuse(none).Invalid = true
		return p, report, false
	}
	p.consent = p.consents(false)
	report.Removals, report.Enrols = p.consent.Planned, p.asks().Enrols(p.topology, p.found)
	if m == modeRun {
		if diags := p.consent.Confirmed(ctx); len(diags) > 0 {
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
	if m == modeRun && (p.overtaken(within) || p.otherInstance(held.Instance())) {
		held.Release(ctx)
		return p, report, ctx.Err() == nil
	}
	p.options.Events.Emit(event.Event{Time: time.Now(), Kind: event.RunPlanned, Plan: p.describe()})
	result := run.Run(within, p.plan, p.values, p.connections, p.runOptions(within, held))
	p.fill(report, result)
	report.refuse(twins(ctx, p))
	if p.options.CleansUp && m == modeRun && !report.Diagnostics.HasErrors() {
		report.refuse(held.Forget(ctx))
	}
	return p, report.refuse(held.Release(ctx)).end(ctx, p.started), false
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
		Memory: p.options.memory(), Fresh: p.identity.fresh, Backup: p.options.Restore.Instance, Job: p.options.Job.Name, Adopt: p.options.Adopt, Reads: p.mode.check(),
		Events: p.options.Events, Redact: p.options.Redactor.Redact,
	}
}

// consents returns what the run may remove. saved says that the plan was saved, with its flags.
func (p *planned) consents(saved bool) *removal.Consent {
	o := p.options
	var planned []Removal
	if p.topology != nil {
		within := p.asks().Matters()
		planned = removal.Planned(o.Inputs, p.topology, p.plan, func(host string) bool { // --limit leaves some out
			return p.mode != modeStatus && slices.Contains(names(p.hosts), host) && !within(host)
		})
	}
	return removal.New(removal.Options{
		Inputs: o.Inputs, Confirm: o.ConfirmRemovals, Names: o.NamesRemovals, Rebuilds: o.Rebuilds, Saved: saved, Redact: o.Redactor.Redact,
	}, p.topology, planned)
}

// unknownRemovals reports names of removals that mean nothing which exists.
func (p *planned) unknownRemovals(ctx context.Context) diag.List {
	if p.offline() || p.options.Continues {
		return nil
	}
	return removal.Unknown(ctx, p.options.Remove, p.topology, p.plan, p.connections)
}

// stalePlan is the error of a run that others have overtaken.
func stalePlan() diag.List {
	return diag.List{{Summary: "Another run was at work", Cause: topology.ErrExisting,
		Detail: "It has changed the places of the cluster since this run asked the hosts. Nothing was changed by this run; start it again."}}
}

// overtaken reports whether another run has changed the places of the cluster since the hosts were asked.
func (p *planned) overtaken(ctx context.Context) bool {
	return p.topology != nil && p.asks().Changed(ctx, p.topology.Cluster, p.found)
}

// otherInstance reports whether the run works on another instance than the one that the record would name, as when
// only machines beside the hypervisors have it. The next plan has it.
func (p *planned) otherInstance(id string) bool {
	if p.topology == nil || id == "" || id == p.topology.Instance {
		return false
	}
	p.identity.chosen = id
	return true
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
		removes = p.consent.Gate
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
		report.Removals = p.consent.All(result.Tasks)
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

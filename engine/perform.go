package engine

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/factcache"
	"kinit/engine/internal/host"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/removal"
	"kinit/engine/internal/run"
	"kinit/engine/internal/topology"
)

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
	if none := noHosts(p); none.HasErrors() {
		report.refuse(none).Invalid = true
		return p, report, false
	}
	p.consent = p.consents(false)
	report.Removals, report.Enrols = p.consent.Planned, p.asks().Enrols(p.topology, p.found)
	if m == modeRun {
		if refused := p.consent.Confirmed(ctx); len(refused) > 0 {
			return p, report.refuse(refused).end(ctx, p.started), false
		}
	}
	stale, diags := carryOut(ctx, p, report)
	return p, report.refuse(diags).end(ctx, p.started), stale
}

// carryOut takes the locks, does the tasks or only looks at what they would do, fills the report, and gives the locks
// back. Nothing is done if the plan is stale.
func carryOut(ctx context.Context, p *planned, report *Report) (stale bool, diags diag.List) {
	within, held, diags := p.own(ctx)
	if len(diags) > 0 {
		return false, diags
	}
	if !p.offline() && !p.options.Continues {
		if unknown := removal.Unknown(within, p.options.Remove, p.topology, p.plan, p.connections); len(unknown) > 0 {
			return false, append(unknown, held.Release(ctx)...)
		}
	}
	if p.mode == modeRun && (p.overtaken(within) || p.otherInstance(held.Instance())) {
		held.Release(ctx)
		return ctx.Err() == nil, nil
	}
	p.options.Events.Emit(event.Event{Time: time.Now(), Kind: event.RunPlanned, Plan: p.describe()})
	p.fill(report, run.Run(within, p.plan, p.values, p.connections, p.runOptions(within, held)))
	if p.topology == nil && !p.offline() && ctx.Err() == nil {
		report.refuse(twins(ctx, p.connections))
	}
	if p.options.CleansUp && p.mode == modeRun && !report.Diagnostics.HasErrors() {
		report.refuse(held.Forget(ctx))
	}
	return false, held.Release(ctx)
}

// own makes sure that only this run works on what the plan's owner has, until what it returns is
// released. Without asking hosts there is nothing to own.
func (p *planned) own(ctx context.Context) (context.Context, *ownership.Held, diag.List) {
	switch {
	case p.offline():
		return ctx, &ownership.Held{}, nil
	case p.mode == modeStatus:
		ownership.Look(p.ownership())
		return ctx, &ownership.Held{}, nil
	}
	return ownership.Take(ctx, p.ownership())
}

func (p *planned) ownership() ownership.Run {
	return ownership.Run{
		Plan: p.plan, Cluster: p.topology != nil, Connections: p.connections, Token: p.token, Team: p.inventory.Lock, StateDir: p.options.StateDir,
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
		Cwd: p.options.Cwd, Home: p.options.Home, Confirm: run.Confirm(p.options.Confirm), FactCache: cached, Lasting: held.Lasting(),
	}
}

func (p *planned) fill(report *Report, result *run.Result) {
	_, drawn := drawnOutput(p.built, p.options.Redactor.Redact)
	report.Results = append(report.Results, result.Tasks...)
	report.Stages, report.Hosts = Recap(p.plan.Stages, report.Results)
	report.Diagnostics = append(report.Diagnostics, result.Diagnostics...)
	report.Diagnostics = append(report.Diagnostics, checks(p.plan, result.Values)...)
	report.Outputs = outputs(p.plan, result.Values, drawn, &report.Diagnostics)
	report.Returning = returning(p.topology)
	if p.consent != nil {
		report.Removals = p.consent.All(result.Tasks)
	}
}

// returning lists the nodes that leave, and that another run recreates.
func returning(t *topology.Topology) []string {
	if t == nil {
		return nil
	}
	var names []string
	for _, l := range t.Leaving {
		if l.Returns {
			names = append(names, l.Name)
		}
	}
	return names
}

func checks(p *plan.Plan, values *plan.Values) diag.List {
	var diags diag.List
	for _, c := range p.Checks {
		if len(c.Pending(values)) == 0 {
			diags = append(diags, c.Run(values)...)
		}
	}
	return diags
}

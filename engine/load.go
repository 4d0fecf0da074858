package engine

import (
	"context"
	"maps"
	"net"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/secret"
)

// loaded is a partly or fully loaded spec.
type loaded struct {
	options   Options
	check     bool
	keyless   bool              // encrypted secrets may be unknown
	looks     bool              // accepts hosts whatever their instance
	fresh     instance.Instance // the instance to create if the owner's name is not used yet
	asked     spec.Log          // the files that expressions and tasks have read
	spec      *spec.Spec
	inventory *inventory.Inventory
	hosts     []*inventory.Host
	topology  *topology.Topology
	scope     *eval.Scope
	plan      *plan.Plan
	diags     diag.List
}

// load makes a plan from text. It stops after the first stage with errors and reports all
// errors of that stage.
func load(ctx context.Context, o Options, check bool) *loaded {
	return (&loaded{options: withDefaults(o), check: check}).load(ctx)
}

func (l *loaded) load(ctx context.Context) *loaded {
	steps := []func(context.Context) diag.List{l.loadSpec, l.loadInventory, l.build}
	for _, step := range steps {
		l.diags = append(l.diags, step(ctx)...)
		if l.diags.HasErrors() {
			return l
		}
	}
	return l
}

func (l *loaded) sources() spec.Sources {
	return spec.Sources{Cwd: l.options.Cwd, Home: l.options.Home, Builtin: l.options.Builtin}
}

func (l *loaded) loadSpec(context.Context) diag.List {
	var diags diag.List
	l.spec, diags = spec.Load(l.sources(), l.options.Spec)
	return diags
}

func (l *loaded) loadInventory(ctx context.Context) diag.List {
	from := inventorySources(l.options)
	inv, diags := inventory.Load(ctx, from, l.options.Inventories)
	l.inventory = inv
	l.options.Redactor.Add(inv.Secrets()...)
	if diags.HasErrors() {
		return diags
	}
	inv.Reserve(l.options.Reserved)
	hosts, more := inv.Select(ctx, from, l.options.Hosts)
	l.hosts = hosts
	return append(diags, more...)
}

// build evaluates, expands the topology and makes the plan.
func (l *loaded) build(context.Context) diag.List {
	sources := l.sources()
	sources.Log = &l.asked
	scope, diags := eval.New(eval.Input{
		Spec: l.spec, Sources: sources, Vars: l.options.Vars, VarFiles: l.options.VarFiles,
		Environ: l.options.Environ, Inventory: l.inventory.Agreed(l.hosts), Places: inventory.Places(l.hosts),
		Hosts: inventory.Value(l.hosts), Groups: l.inventory.GroupsValue(l.hosts),
		Run: eval.Run{StopAfter: l.options.StopAfter, Recreate: l.options.Recreate, Purge: l.options.Purge,
			Check: l.check, Hosts: names(l.hosts)},
		Redactor: l.options.Redactor, Keyless: l.keyless,
	})
	if diags.HasErrors() {
		return diags
	}
	l.scope = scope
	cluster, more := l.expand(scope)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return diags
	}
	diags = append(diags, scope.SetCluster(cluster)...)
	if diags.HasErrors() {
		return diags
	}
	l.scope = scope
	l.plan, more = plan.Build(plan.Input{
		Spec: l.spec, Scope: scope, Inventory: l.inventory, Hosts: l.hosts, Topology: l.topology, Kinds: l.options.Kinds,
		Selection: plan.Selection{StopAfter: l.options.StopAfter, StartAt: l.options.StartAt,
			Only: l.options.Only, Skip: l.options.Skip, Limit: l.options.Limit},
	})
	return append(diags, more...)
}

// expand computes the topology if the spec has a cluster.
func (l *loaded) expand(scope *eval.Scope) (cty.Value, diag.List) {
	if l.spec.Cluster == nil {
		return cty.NilVal, nil
	}
	cluster, diags := topology.Decode(l.spec.Cluster, l.spec.Drivers, scope.Context(l.spec.Cluster.Range.Filename))
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	var more diag.List
	l.topology, more = topology.Expand(cluster, l.hosts, l.inventory)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return l.topology.Value(), diags
}

// report returns the report of a spec that was only loaded.
func (l *loaded) report(ctx context.Context, started time.Time) *Report {
	r := &Report{Interrupted: ctx.Err() != nil, Invalid: l.diags.HasErrors(), Diagnostics: l.diags, Duration: time.Since(started), Sources: l.files()}
	if l.topology != nil {
		r.Cluster = l.topology.Cluster.Name
	}
	if l.plan != nil {
		r.Tasks = l.plan.Main.Total()
	}
	return r
}

// files returns all files that were read, by name.
func (l *loaded) files() map[string]*hcl.File {
	all := map[string]*hcl.File{}
	if l.spec != nil {
		maps.Copy(all, l.spec.Sources)
	}
	if l.inventory != nil {
		maps.Copy(all, l.inventory.Sources)
	}
	return all
}

// withDefaults sets the options that the caller did not set.
func withDefaults(o Options) Options {
	if o.Forks <= 0 {
		o.Forks = DefaultForks
	}
	if o.Redactor == nil {
		o.Redactor = &secret.Redactor{}
	}
	return o
}

func names(hosts []*inventory.Host) []string {
	out := make([]string, len(hosts))
	for i, h := range hosts {
		out[i] = h.Name
	}
	return out
}

// inventorySources returns the places of inventories, and the lookup for names that no
// inventory contains.
func inventorySources(o Options) inventory.Sources {
	return inventory.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Inventory, Environ: o.Environ, Resolves: resolves}
}

// resolves reports whether a name that no inventory contains has an address.
func resolves(ctx context.Context, name string) bool {
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	return err == nil && len(addresses) > 0
}

package engine

import (
	"context"
	"io/fs"
	"maps"
	"net"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
	"kinit/engine/secret"
)

// mode is what is done with a plan.
type mode int

const (
	does      mode = iota // its tasks are done
	reads                 // the hosts are read, and what would change is reported
	looks                 // like reads, whichever instance the hosts have
	validates             // nothing; encrypted secrets may be unknown
)

// check reports whether nothing may change.
func (m mode) check() bool { return m == reads || m == looks }

// texts is what was read before anything is evaluated.
type texts struct {
	spec      *spec.Spec
	inventory *inventory.Inventory
	hosts     []*inventory.Host // the selected ones
}

// planned is a plan, and what it was made of. After an error, what comes later is missing.
type planned struct {
	texts
	options  Options
	mode     mode
	started  time.Time
	opened   *spec.Log // the files that expressions and tasks have read
	topology *topology.Topology
	scope    *eval.Scope
	plan     *plan.Plan
	fresh    instance.Instance // the instance to create if the owner's name is not used yet
}

// makePlan makes a plan from text. It stops after the first call with errors.
func makePlan(ctx context.Context, o Options, m mode) (*planned, *Report) {
	started := time.Now()
	o = withDefaults(o)
	t, diags := load(ctx, o)
	p := &planned{texts: t}
	if !diags.HasErrors() {
		var more diag.List
		p, more = build(t, o, m)
		diags = append(diags, more...)
	}
	p.started = started
	r := &Report{Invalid: diags.HasErrors(), Diagnostics: diags, Sources: t.files()}
	if p.topology != nil {
		r.Cluster = p.topology.Cluster.Name
	}
	if p.plan != nil {
		r.Tasks = p.plan.Main.Total()
	}
	return p, r.end(ctx, started)
}

// load reads the spec, its playbook and the inventories, and selects the hosts.
func load(ctx context.Context, o Options) (texts, diag.List) {
	s, diags := spec.Load(sources(o), o.Spec)
	if !diags.HasErrors() {
		diags = append(diags, s.Set(o.Set)...)
	}
	if diags.HasErrors() {
		return texts{spec: s}, diags
	}
	from := inventorySources(o)
	inv, more := inventory.Load(ctx, from, o.Inventories)
	o.Redactor.Add(inv.Secrets()...)
	if diags = append(diags, more...); diags.HasErrors() {
		return texts{spec: s, inventory: inv}, diags
	}
	inv.Reserve(o.Reserved)
	hosts, more := inv.Select(ctx, from, o.Hosts)
	return texts{s, inv, hosts}, append(diags, more...)
}

// build evaluates what is known before a run, expands the cluster and makes the plan.
func build(t texts, o Options, m mode) (*planned, diag.List) {
	p := &planned{texts: t, options: o, mode: m, opened: &spec.Log{}}
	from := sources(o)
	from.Log = p.opened
	scope, diags := eval.New(eval.Input{
		Spec: t.spec, Sources: from, Vars: o.Vars, VarFiles: o.VarFiles,
		Environ: o.Environ, Inventory: t.inventory.Agreed(t.hosts), Places: inventory.Places(t.hosts),
		Hosts: inventory.Value(t.hosts), Groups: t.inventory.GroupsValue(t.hosts),
		Run:      eval.Run{StopAfter: o.StopAfter, Recreate: o.Recreate, Purge: o.Purge, Check: m.check(), Hosts: names(t.hosts)},
		Redactor: o.Redactor, Keyless: m == validates,
	})
	if diags.HasErrors() {
		return p, diags
	}
	cluster := cty.NilVal
	if c := t.spec.Cluster; c != nil {
		decoded, more := topology.Decode(c, t.spec.Drivers, scope.Context(c.Range.Filename))
		if diags = append(diags, more...); diags.HasErrors() {
			return p, diags
		}
		p.topology, more = topology.Expand(decoded, t.hosts, t.inventory)
		if diags = append(diags, more...); diags.HasErrors() {
			return p, diags
		}
		cluster = p.topology.Value()
	}
	if diags = append(diags, scope.SetCluster(cluster)...); diags.HasErrors() {
		return p, diags
	}
	made, more := plan.Build(plan.Input{
		Spec: t.spec, Scope: scope, Inventory: t.inventory, Hosts: t.hosts, Topology: p.topology, Kinds: o.Kinds,
		Selection: plan.Selection{StopAfter: o.StopAfter, StartAt: o.StartAt, Only: o.Only, Skip: o.Skip, Limit: o.Limit},
	})
	p.scope, p.plan = scope, made
	if made != nil && made.Owner != "" {
		p.fresh = instance.New(controller(), o.Spec)
	}
	return p, append(diags, more...)
}

func sources(o Options) spec.Sources {
	return spec.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Builtin}
}

// files returns all files that were read, by name.
func (t texts) files() map[string]*hcl.File {
	all := map[string]*hcl.File{}
	if t.spec != nil {
		maps.Copy(all, t.spec.Sources)
	}
	if t.inventory != nil {
		maps.Copy(all, t.inventory.Sources)
	}
	return all
}

// withDefaults sets the options that the caller did not set.
func withDefaults(o Options) Options {
	if o.Forks <= 0 {
		o.Forks = DefaultForks
	}
	if o.Events == nil {
		o.Events = event.Discard{}
	}
	if o.Redactor == nil {
		o.Redactor = &secret.Redactor{}
	}
	return o
}

func names(hosts []*inventory.Host) []string {
	return lists.Map(hosts, func(h *inventory.Host) string { return h.Name })
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

// Driver is a way to create the nodes of a cluster.
type Driver struct {
	Name    string
	Summary string
}

// Drivers lists the drivers whose playbooks are folders of a file system, by name.
func Drivers(fsys fs.FS, folder string) ([]Driver, error) {
	found, err := spec.DriversIn(fsys, folder)
	if err != nil {
		return nil, err
	}
	return lists.Map(found, func(d *spec.Driver) Driver { return Driver{Name: d.Name, Summary: d.Summary} }), nil
}

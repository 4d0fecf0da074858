package engine

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/internal/vault"
	"kinit/engine/lists"
	"kinit/engine/secret"
	"kinit/engine/trust"
)

// mode is what is done with a plan.
type mode int

const (
	modeRun      mode = iota // its tasks are done
	modePlan                 // the hosts are read, and what would change is reported
	modeStatus               // like modePlan, whichever instance the hosts have
	modeValidate             // no host is asked; encrypted secrets may be unknown
)

// check reports whether nothing may change.
func (m mode) check() bool { return m == modePlan || m == modeStatus }

// texts is what was read before anything is evaluated.
type texts struct {
	asRead    *spec.Spec
	spec      *spec.Spec // of this plan: it has each import as often as its for_each says
	inventory *inventory.Inventory
	hosts     []*inventory.Host // the selected ones
}

// planned is a plan, and what it was made of. After an error, what comes later is missing. Its
// owner closes it.
type planned struct {
	texts
	options     Options
	mode        mode
	started     time.Time
	token       string            // identifies the run
	filesRead   *spec.FilesRead   // by expressions and tasks
	answers     []topology.Answer // of the hosts that were asked what they have of the cluster
	existing    topology.Existing // what they have
	topology    *topology.Topology
	scope       *eval.Scope
	plan        *plan.Plan
	fresh       instance.Instance // the instance to create if the owner's name is not used yet
	instance    string            // the id of the instance that the run will use, if that is known already
	first       string            // the name of the cluster in the spec, if it keeps an older one
	values      *plan.Values
	connections *host.Connections
	reach       *reach   // of connections
	consent     *consent // once the plan is to be done or shown
}

// makePlan makes a plan from text, and from what the hosts have of the cluster. After the first call
// with errors it only looks for further mistakes. Each of before changes what it begins with.
func makePlan(ctx context.Context, o Options, m mode, before ...func(*planned)) (*planned, *Report) {
	p := &planned{options: withDefaults(o), mode: m, started: time.Now(), token: ownership.NewToken(), values: &plan.Values{}}
	p.fresh = instance.New(instance.Controller(), o.Spec, o.Job.Name)
	p.fresh.ID = cmp.Or(o.Restore.Instance, p.fresh.ID)
	for _, change := range before {
		change(p)
	}
	p.reach = newReach(p.options)
	p.connections = host.NewConnections(p.reach.settings, p.options.Redactor)
	if m == modeStatus {
		p.connections.Once(p.options.Within)
	}
	if m == modeRun {
		p.connections.Mark(lock.Name(p.token))
	}
	diags := p.prepare(ctx)
	p.reach.follow(p.plan, p.values)
	if diags.HasErrors() && p.spec != nil {
		p.options.Redactor.Add(plan.WrittenSecrets(p.spec, p.options.Kinds)...)
	}
	r := &Report{Invalid: diags.HasErrors() && !diags.Is(topology.ErrExisting), Diagnostics: diags, Sources: p.files()}
	if p.spec != nil && p.spec.Cluster != nil {
		r.Offline = p.offline()
	}
	if p.topology != nil {
		r.Cluster = p.topology.Cluster.Name
	}
	if p.plan != nil {
		r.Tasks = p.plan.Main.Total()
	}
	return p, r.end(ctx, p.started)
}

// prepare is the line of makePlan.
func (p *planned) prepare(ctx context.Context) diag.List {
	var diags diag.List
	if p.texts, diags = load(ctx, p.options); diags.HasErrors() {
		return append(diags, p.further(diags)...).Distinct().Sorted()
	}
	p.reach.find = p.settings
	cluster, more := p.evaluate()
	if diags = append(diags, more...); diags.HasErrors() {
		next := *p
		return append(diags, next.afterMistakes(cluster, more)...).Distinct().Sorted()
	}
	if cluster != nil {
		cluster, more = p.recognise(ctx, cluster)
		if more.HasErrors() {
			return append(diags, p.orMistakes(cluster, more)...)
		}
		diags = append(diags, more...)
	} else {
		diags = append(diags, p.withoutCluster()...)
	}
	if diags = append(diags, p.unknownLost(cluster)...); diags.HasErrors() {
		return diags
	}
	return append(diags, p.build(cluster)...)
}

// orMistakes returns the mistakes of the spec, which are found without hosts, or else the
// problems of hosts.
func (p *planned) orMistakes(cluster *topology.Cluster, ofHosts diag.List) diag.List {
	asNew := *p
	if mistakes := asNew.build(cluster); mistakes.HasErrors() {
		return mistakes
	}
	return ofHosts
}

// offline reports whether no host is asked.
func (p *planned) offline() bool { return p.options.Offline || p.mode == modeValidate }

func (p *planned) close() { _ = p.connections.Close() }

// load reads the spec, its playbook and the inventories, and selects the hosts.
func load(ctx context.Context, o Options) (texts, diag.List) {
	s, diags := spec.Load(sources(o), o.Spec)
	if !diags.HasErrors() {
		diags = append(diags, s.Set(o.Set)...)
	}
	if !spec.Read(diags) {
		return texts{asRead: s, spec: s}, diags
	}
	from := inventorySources(o)
	inv, more := inventory.Load(ctx, from, o.Inventories)
	o.Redactor.Add(inv.Secrets()...)
	if diags = append(diags, more...); more.HasErrors() {
		return texts{asRead: s, spec: s, inventory: inv}, diags
	}
	inv.Reserve(o.Reserved)
	hosts, more := inv.Select(ctx, from, o.Hosts)
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(h *inventory.Host) bool { return slices.Contains(o.Lost, h.Name) })
	return texts{s, s, inv, hosts}, append(diags, more...)
}

// evaluate evaluates what is known before the cluster is expanded. The cluster is nil if the
// spec has none.
func (p *planned) evaluate() (*topology.Cluster, diag.List) {
	p.spec = p.asRead.Copy()
	t, o := p.texts, p.options
	p.filesRead = &spec.FilesRead{}
	from := sources(o)
	from.FilesRead = p.filesRead
	scope, diags := eval.New(eval.Input{
		Spec: t.spec, Sources: from, Vars: o.Vars, VarFiles: o.VarFiles,
		Environ: o.Environ, Inventory: t.inventory.Agreed(t.hosts), Places: inventory.Places(t.hosts),
		Hosts: inventory.Value(t.hosts), Groups: t.inventory.GroupsValue(t.hosts),
		Run:      eval.Run{StopAfter: o.StopAfter, Recreate: o.Recreate, Purge: o.Purge, Renew: o.Renew, Check: p.mode.check(), Look: p.mode == modeStatus && !p.offline(), Hosts: names(t.hosts)},
		Redactor: o.Redactor, Keyless: p.mode == modeValidate,
	})
	if p.scope = scope; diags.HasErrors() || p.spec.Cluster == nil {
		return nil, diags
	}
	cluster, more := p.decode()
	return cluster, append(diags, more...)
}

// build expands the cluster over what exists, and makes the plan.
func (p *planned) build(c *topology.Cluster) (diags diag.List) {
	t, o := p.texts, p.options
	cluster := cty.NilVal
	if c != nil {
		in := topology.Input{Cluster: *c, Hosts: t.hosts, Inventory: t.inventory, Existing: p.existing, Rebalance: o.Rebalance, Recreate: o.Recreate, Ends: o.ends(),
			Leave:    topology.Leave{Nodes: o.Leave, Hypervisors: o.Evacuate, Destroy: o.YesDestroy, Remove: o.Remove, Sure: o.Continues},
			Restore:  topology.Restore{ID: o.Restore.ID, Pool: o.Restore.Pool},
			Instance: p.identify(*c)}
		if diags = p.keeps(&in); diags.HasErrors() {
			return orUnplaced(in, diags)
		}
		var more diag.List
		p.topology, more = topology.Expand(in)
		if p.mode == modeStatus && p.topology != nil {
			more = asSeen(more)
		}
		if diags = append(diags, more...); diags.HasErrors() {
			return diags
		}
		cluster = p.topology.Value()
	}
	ofScopes := p.scope.SetCluster(cluster)
	diags = append(diags, ofScopes...)
	if !p.scope.Whole() {
		return append(diags, plan.Forms(t.spec, o.Kinds)...)
	}
	made, more := plan.Build(plan.Input{
		Spec: t.spec, Scope: p.scope, Inventory: t.inventory, Hosts: t.hosts, Topology: p.topology, Kinds: o.Kinds,
		Selection: plan.Selection{StopAfter: o.StopAfter, StartAt: o.StartAt, Only: o.Only, Skip: o.Skip, Tags: o.Tags, SkipTags: o.SkipTags, Limit: o.Limit},
	})
	if ofScopes.HasErrors() {
		made, more = nil, withoutConsequences(more)
	}
	p.plan = made
	if p.topology != nil {
		if refused := append(p.neverLeaves(), p.enrolled()...); len(refused) > 0 {
			p.plan = nil
			return append(diags, refused...)
		}
		diags = append(diags, slices.Concat(p.servicesStay(), p.remains())...)
		if p.mode == modeStatus {
			diags = append(diags, asRemovalWarnings(p.topology)...)
		}
	}
	return append(diags, more...)
}

// orUnplaced returns the refusal of a cluster that is not the existing one, or else what keeps the cluster from being
// placed at all: each command that the refusal proposes would end with it.
func orUnplaced(in topology.Input, refusal diag.List) diag.List {
	in.Existing = topology.Existing{}
	_, diags := topology.Expand(in)
	unplaced := slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Summary != topology.UnknownHypervisor })
	if len(unplaced) > 0 {
		return unplaced
	}
	return refusal
}

// again makes another plan of the same text, on the same hosts with what they had. It takes the
// connections over.
func (p *planned) again(o Options) (*planned, diag.List) {
	next := &planned{
		texts: p.texts, options: o, mode: p.mode, started: p.started, token: p.token, existing: p.existing, answers: p.answers,
		fresh: p.fresh, instance: p.instance, first: p.first, values: &plan.Values{}, connections: p.connections, reach: p.reach,
	}
	cluster, diags := next.evaluate()
	if !diags.HasErrors() {
		diags = append(diags, next.build(cluster)...)
		next.reach.follow(next.plan, next.values)
	}
	return next, diags
}

func sources(o Options) spec.Sources {
	return spec.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Builtin, Text: o.Text, Trust: trust.From(o.Environ)}
}

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

// Ships reports whether the spec of the options is the name of one inside the program, which a file of that name does
// not replace.
func Ships(o Options) bool { return o.Text == "" && spec.Ships(sources(o), o.Spec) }

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
	o.Redactor.Add(o.Passwords.Login.Reveal(), o.Passwords.Become.Reveal())
	return o
}

func names(hosts []*inventory.Host) []string {
	return lists.Map(hosts, func(h *inventory.Host) string { return h.Name })
}

// inventorySources returns the places of inventories, and the lookup for names that no
// inventory contains.
func inventorySources(o Options) inventory.Sources {
	return inventory.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Inventory, Environ: o.Environ, Resolves: resolves, Vault: vault.New(o.Vault)}
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

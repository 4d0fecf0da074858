package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/existing"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/removal"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/internal/vault"
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

// call is one call of the engine: what is to be done with a spec, and the connections for it.
type call struct {
	options     Options
	mode        mode
	started     time.Time
	token       string // identifies the run
	identity    identity
	connections *host.Connections
	reach       *reach // of connections
}

// identity is the instance that a run works on, as far as it is known before its plan.
type identity struct {
	fresh  instance.Instance // to create if the owner's name is not used yet
	chosen string            // the id of the one that the run will use, if that is known already
}

func newIdentity(o Options) identity {
	fresh := instance.New(instance.Controller(), o.Spec, o.Job.Name)
	fresh.ID = cmp.Or(o.Restore.Instance, fresh.ID)
	return identity{fresh: fresh}
}

// evaluated is what is known before the cluster is expanded.
type evaluated struct {
	spec      *spec.Spec // of this plan: it has each import as often as its for_each says
	scope     *eval.Scope
	filesRead *spec.FilesRead   // by expressions and tasks
	cluster   *topology.Cluster // nil if the spec has none
}

// built is a cluster with its places, and the plan.
type built struct {
	topology *topology.Topology // nil without a cluster
	plan     *plan.Plan
	values   *plan.Values // of its tasks, as they end
}

// planned is a plan, and what it was made of. After an error, what comes later is missing. Its
// owner closes it.
type planned struct {
	call
	texts
	evaluated
	found existing.Found // of the cluster
	built
	consent *removal.Consent // once the plan is to be done or shown
}

// makePlan makes a plan from text, and from what the hosts have of the cluster. After the first step
// with errors it only looks for further mistakes.
func makePlan(ctx context.Context, o Options, m mode, id identity) (*planned, *Report) {
	p := &planned{call: newCall(o, m, id)}
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

func newCall(o Options, m mode, id identity) call {
	c := call{options: withDefaults(o), mode: m, started: time.Now(), token: ownership.NewToken(), identity: id}
	c.reach = newReach(c.options)
	c.connections = host.NewConnections(c.reach.settings, c.options.Redactor)
	if m == modeStatus {
		c.connections.Once(c.options.Within)
	}
	if m == modeRun {
		c.connections.Mark(lock.Name(c.token))
	}
	return c
}

// prepare reads, evaluates, asks the hosts what they have of the cluster, and builds the plan.
func (p *planned) prepare(ctx context.Context) diag.List {
	var diags, more diag.List
	if p.texts, diags = load(ctx, p.options); diags.HasErrors() {
		p.spec = p.asRead
		return append(diags, further(ctx, p.call, p.texts, diags)...).Distinct().Sorted()
	}
	p.reach.find = p.texts.settings
	if p.evaluated, more = evaluate(ctx, p.call, p.texts); more.HasErrors() {
		return slices.Concat(diags, more, afterMistakes(p.call, p.texts, p.evaluated, more)).Distinct().Sorted()
	}
	diags = append(diags, more...)
	if p.cluster == nil {
		diags = append(diags, withoutCluster(p.options.YesDestroy)...)
	} else {
		p.cluster, p.found, more = p.asks().Recognise(ctx, p.cluster)
		if more.HasErrors() {
			return append(diags, orMistakes(p.call, p.texts, p.evaluated, p.found, more)...)
		}
		if diags = append(diags, more...); p.found.First != "" {
			p.asRead, p.spec = p.asRead.Renamed(p.cluster.Name), p.spec.Renamed(p.cluster.Name)
		}
	}
	if diags = append(diags, p.asks().UnknownLost(p.cluster, p.found)...); diags.HasErrors() {
		return diags
	}
	p.built, more = build(p.call, p.texts, p.evaluated, p.found)
	return append(diags, more...)
}

// orMistakes returns the mistakes of the spec, which are found without hosts, or else the
// problems of hosts.
func orMistakes(c call, t texts, e evaluated, found existing.Found, ofHosts diag.List) diag.List {
	if _, mistakes := build(c, t, e, found); mistakes.HasErrors() {
		return mistakes
	}
	return ofHosts
}

// offline reports whether no host is asked.
func (c call) offline() bool { return c.options.Offline || c.mode == modeValidate }

func (c call) close() { _ = c.connections.Close() }

// asks returns what is asked about the cluster on the hosts.
func (p *planned) asks() existing.Run { return asks(p.call, p.texts, p.evaluated, p.found.First) }

// asks returns what is asked about the cluster on the hosts. first is the cluster's name in the spec, if it keeps an
// older one.
func asks(c call, t texts, e evaluated, first string) existing.Run {
	o := c.options
	return existing.Run{
		Inputs: o.Inputs, Hosts: names(t.hosts), Inventory: t.inventory, Connections: c.connections, Spec: e.spec, Scope: e.scope, First: first,
		Offline: c.offline(), Looks: c.mode == modeStatus, Within: o.Within, Continues: o.Continues, Job: o.Job.Folder != "",
		Memory: o.memory(), UserMemory: o.userMemory(), Redact: o.Redactor.Redact,
	}
}

// evaluate evaluates what is known before the cluster is expanded.
func evaluate(ctx context.Context, c call, t texts) (evaluated, diag.List) {
	o, e := c.options, evaluated{spec: t.asRead.Copy(), filesRead: &spec.FilesRead{}}
	from := sources(o)
	from.FilesRead = e.filesRead
	scope, diags := eval.New(eval.Input{
		Spec: e.spec, Sources: from, Vars: o.Vars, VarFiles: o.VarFiles,
		Decrypt: func(text string) (string, error) { return vault.New(o.Vault).Decrypt(ctx, text) },
		Environ: o.Environ, Inventory: t.inventory.Agreed(t.hosts), Places: inventory.Places(t.hosts),
		Hosts: inventory.Value(t.hosts), Groups: t.inventory.GroupsValue(t.hosts),
		Run:      eval.Run{StopAfter: o.StopAfter, Recreate: o.Recreate, Purge: o.Purge, Renew: o.Renew, Check: c.mode.check(), Look: c.mode == modeStatus && !c.offline(), Hosts: names(t.hosts)},
		Redactor: o.Redactor, Keyless: c.mode == modeValidate,
	})
	if e.scope = scope; diags.HasErrors() || e.spec.Cluster == nil {
		return e, diags
	}
	cluster, more := topology.Decode(e.spec.Cluster, e.spec.Drivers, scope.Context(e.spec.Cluster.Range.Filename))
	e.cluster = &cluster
	return e, append(diags, more...)
}

// build expands the cluster over what exists, and makes the plan.
func build(c call, t texts, e evaluated, found existing.Found) (b built, diags diag.List) {
	o, ask := c.options, asks(c, t, e, found.First)
	b.values = &plan.Values{}
	cluster := cty.NilVal
	if e.cluster != nil {
		b.topology, diags = ask.Expand(topology.Input{Cluster: *e.cluster, Hosts: t.hosts, Inventory: t.inventory, Existing: found.Existing, Rebalance: o.Rebalance, Recreate: o.Recreate, Ends: o.ends(), Precedes: o.Precedes,
			Leave:    topology.Leave{Nodes: o.Leave, Hypervisors: o.Evacuate, Destroy: o.YesDestroy, Remove: o.Remove, Sure: o.Continues},
			Restore:  topology.Restore{ID: o.Restore.ID, Pool: o.Restore.Pool},
			Instance: ask.Instance(*e.cluster, found, c.identity.chosen, c.identity.fresh.ID), Rebuilt: c.rebuilt()})
		if diags.HasErrors() {
			return b, diags
		}
		cluster = b.topology.Value()
	}
	ofScopes := e.scope.SetCluster(cluster)
	diags = append(diags, ofScopes...)
	if !e.scope.Whole() {
		return b, append(diags, plan.Forms(e.spec, o.Kinds)...)
	}
	made, more := plan.Build(plan.Input{
		Spec: e.spec, Scope: e.scope, Inventory: t.inventory, Hosts: t.hosts, Topology: b.topology, Kinds: o.Kinds,
		Selection: plan.Selection{StopAfter: o.StopAfter, StartAt: o.StartAt, Only: o.Only, Skip: o.Skip, Tags: o.Tags, SkipTags: o.SkipTags, Limit: o.Limit},
	})
	if ofScopes.HasErrors() {
		made, more = nil, withoutConsequences(more)
	}
	if b.topology != nil {
		refused := ask.UnnamedHypervisors(b.topology, found)
		if made != nil && c.mode != modeStatus {
			refused = append(removal.NeverLeaves(o.Inputs, b.topology, made), refused...)
		}
		if len(refused) > 0 {
			return b, append(diags, refused...)
		}
		diags = append(diags, ask.Warnings(b.topology, found)...)
	}
	b.plan = made
	return b, append(diags, more...)
}

// rebuilt returns the id of the run for the record of the cluster that it rebuilds, or "".
func (c call) rebuilt() string {
	if c.options.Recreate || c.options.Rebuilds {
		return c.identity.fresh.ID
	}
	return ""
}

package plan

import (
	"maps"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
)

// builder is the state of one Build.
type builder struct {
	in        Input
	plan      *Plan
	blocks    *blocks
	spaces    map[*spec.Namespace]*space
	relays    []*relay
	handlers  []*block
	groups    groups
	hosts     *hosts
	hostTasks map[string]*hostTasks
	eachHost  map[string]map[string]cty.Value // by name
	kinds     map[string]*module.Kind
	diags     diag.List
}

// Build expands and checks everything there is to know before a run. The plan is
// nil when there are errors.
func Build(in Input) (*Plan, diag.List) {
	b := newBuilder(in)
	b.setOwner()
	b.declareHosts()
	b.checkVia()
	b.expandTasks()
	b.formGroups()
	b.declareHandlers()
	b.watchMembers()
	b.referHosts()
	b.referTasks()
	b.findFlushes()
	b.expandHandlers()
	b.referHandlers()
	b.noteWhole()
	b.foresee()
	b.checkRelays()
	b.checkArguments()
	b.section(&b.plan.Main, func(t *Task) bool { return !t.final() })
	b.section(&b.plan.OnFailure, func(t *Task) bool { return t.OnFailure })
	b.section(&b.plan.Always, func(t *Task) bool { return t.Always })
	b.addChecks()
	b.addOutputs()
	if !b.diags.HasErrors() {
		b.selectTasks()
	}
	diags := b.diags.Distinct() // every instance of a task has the same mistakes
	diags.Sort()
	if diags.HasErrors() {
		return nil, diags
	}
	return b.plan, diags
}

func newBuilder(in Input) *builder {
	b := &builder{
		in:     in,
		blocks: &blocks{byAddress: map[string]*block{}, tasks: map[string]*Task{}},
		spaces: map[*spec.Namespace]*space{},
		kinds:  map[string]*module.Kind{},
	}
	if in.Inventory == nil {
		in.Inventory = &inventory.Inventory{}
	}
	b.hosts = newHosts(in.Inventory, in.Hosts)
	b.hostTasks, b.eachHost = map[string]*hostTasks{}, map[string]map[string]cty.Value{}
	b.declareSpaces(in.Spec.Root, in.Scope)
	b.plan = &Plan{Sources: map[string]*hcl.File{}, hosts: b.hosts, blocks: b.blocks}
	if in.Topology != nil {
		b.plan.Cluster = in.Topology.Cluster.Name
	}
	for _, s := range in.Spec.Stages {
		b.plan.Stages = append(b.plan.Stages, s.Name)
	}
	maps.Copy(b.plan.Sources, in.Spec.Sources)
	maps.Copy(b.plan.Sources, b.hosts.inventory.Sources)
	for i, kind := range in.Kinds {
		if b.kinds[kind.Name] != nil {
			panic("plan: two modules are named " + kind.Name + "; this is a bug in kinit")
		}
		b.kinds[kind.Name] = &in.Kinds[i]
	}
	return b
}

// setOwner finds who owns what the tasks make: the cluster, or who the spec names.
func (b *builder) setOwner() {
	b.plan.Owner = b.plan.Cluster
	expr := b.in.Spec.Owner
	if expr == nil {
		return
	}
	if b.plan.Cluster != "" {
		b.errorf(expr.Range(), "Invalid owner", "What this spec makes belongs to its cluster %q; leave the owner out.", b.plan.Cluster)
		return
	}
	owner, ok := b.earlyText(b.spaces[b.in.Spec.Root], "owner", expr, b.in.Scope.Context(expr.Range().Filename))
	if ok && !ownerName.MatchString(owner) {
		b.errorf(expr.Range(), "Invalid owner", "An owner is named like a cluster, with lower case letters, digits and - only; %q is not.", owner)
	}
	b.plan.Owner = owner
}

// ownerName is what a cluster's name may be: both become parts of the names of
// files on the hosts.
var ownerName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func (b *builder) errorf(at hcl.Range, summary, format string, args ...any) {
	b.diags = append(b.diags, diag.Errorf(&at, summary, format, args...)...)
}

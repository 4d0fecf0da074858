package refs

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/spec"
)

// Resolve evaluates the engine's arguments of each task before the run, and finds which
// tasks the instances, hosts and bindings refer to. Bindings have values before the run if
// there are no errors; sound reports whether there were none so far.
func Resolve(set *expand.Set, sound bool) (*Refs, diag.List) {
	r := &resolver{Refs: newRefs(set)}
	for _, host := range set.Hosts.Selected {
		r.remember(host.Name)
	}
	for _, h := range set.Hosts.Declared {
		r.referHost(r.hosts[h.Name])
	}
	for _, h := range set.Hosts.Declared {
		var reads, creators References
		for _, on := range set.Hosts.Chain(h.Name) {
			reads = append(reads, r.hosts[on.Name].Args...)
			creators = append(append(creators, r.hosts[on.Name].Args...), r.hosts[on.Name].After...)
		}
		r.hosts[h.Name].Reach, r.hosts[h.Name].Creators = reads.Tasks(), creators.Tasks()
	}
	for _, block := range r.Blocks {
		r.referBlock(block)
	}
	r.foreseen = r.foresee()
	r.bindAll()
	for i := 0; i < len(r.made); i++ { // refer may find more
		one := r.made[i]
		diags := r.refer(one)
		if sound && !diags.HasErrors() && !r.Diags.HasErrors() {
			if r.given[one], diags = r.value(one, nil); one.idle() {
				diags = nil
			}
		}
		r.Tell(diags)
	}
	return r.Refs, r.Diags
}

// idle reports whether a binding has a value only for a host on which all tasks that read it
// are skipped. Values that it needs may be missing there.
func (r *binding) idle() bool { return r.host != "" && r.host != anyHost && !r.used }

// bindAll adds the bindings that no task refers to, so that all are checked.
func (r *resolver) bindAll() {
	has := map[*expand.Binding]bool{}
	for _, one := range r.made {
		has[one.Binding] = true
	}
	for _, named := range r.Set.Bindings {
		if !has[named] {
			r.bound(named, anyHost)
		}
	}
}

// newRefs makes a task of every instance.
func newRefs(set *expand.Set) *Refs {
	all := &Refs{
		Set: set, blocks: map[*expand.Block]*Block{}, tasks: map[string]*Task{}, secrets: map[*expand.Namespace]map[string]*Block{},
		bindings: map[bound]*binding{}, hosts: map[string]*Host{}, known: map[string]map[string]cty.Value{},
		given: map[*binding]cty.Value{}, noHost: &Host{},
	}
	for _, made := range set.Blocks {
		block := &Block{Block: made, Invalid: made.Invalid, Tasks: make([]*Task, len(made.Instances))}
		for i, instance := range made.Instances {
			t := &Task{Instance: instance, Block: block, Skip: instance.Idle, Sensitive: made.Spec.Sensitive}
			block.Tasks[i], all.tasks[t.Address] = t, t
		}
		all.Blocks, all.blocks[made] = append(all.Blocks, block), block
	}
	for _, namespace := range set.Namespaces {
		all.secrets[namespace] = map[string]*Block{}
		for name, task := range namespace.Made {
			all.secrets[namespace][name] = all.blocks[set.Block(task.Address())]
		}
	}
	for _, made := range set.Hosts.Declared {
		all.hosts[made.Name] = &Host{Host: made}
	}
	return all
}

// referHost finds which tasks a host block refers to.
func (r *resolver) referHost(h *Host) {
	s := h.Spec
	found := r.find(h.Namespace, h.Scope, "", s.Address, s.Port, s.User, s.Transport, s.Become, s.BecomeMethod, s.BecomePassword, s.PrivateKey, s.Password, s.HostKeys, s.OS, s.Auth, s.Certificate)
	h.Args, h.After = found.found, r.dependencies(h.Namespace, s.DependsOn, h.Scope, "", false)
	r.Tell(found.Diags)
	if found.Diags.HasErrors() {
		return
	}
	if !h.Namespace.IsLate(s.Address) {
		h.fixed = r.address(h, nil)
		r.remember(h.Name)
	}
	_, diags, _ := r.Settings(h, nil)
	r.Tell(diags)
}

// referBlock settles the tasks of a block and finds what they refer to. It does so once if
// the expressions are the same for all.
func (r *resolver) referBlock(block *Block) {
	settled := !slices.ContainsFunc(earlyExpressions(block.Spec), block.Namespace.Differs)
	late := block.Late()
	for i, t := range block.Tasks {
		first := block.Tasks[0]
		if i == 0 || !settled {
			r.settle(t)
		} else {
			t.Skip, t.Retry, t.Become = first.Skip, first.Retry, first.Become
			t.Timeout, t.Throttle, t.Advice = first.Timeout, first.Throttle, first.Advice
		}
		if i == 0 || !block.Linked {
			r.link(t, late)
		} else {
			t.Args, t.After = first.Args, first.After
		}
		t.Needs = r.needs(t)
		if i == 0 || block.unlike() {
			r.linkArguments(t)
		} else {
			t.arguments = first.arguments
		}
	}
}

// linkArguments finds what the arguments refer to that a task returns as outputs. Keys are
// evaluated without the values of tasks, as in link, so that both find the same.
func (r *resolver) linkArguments(t *Task) {
	t.arguments = argumentsOf(t.Block)
	ctx := r.ContextWith(t, t.Block.Namespace.Nothing, nil)
	for i, one := range t.arguments {
		if one.expr != nil {
			t.arguments[i].refs = r.find(t.Block.Namespace, ctx, t.Host, one.expr).found
		}
	}
}

// link finds the tasks that a task refers to, and whether the other instances of its
// block refer to the same.
func (r *resolver) link(t *Task, exprs []hcl.Expression) {
	block, ctx := t.Block, r.Context(t, nil)
	found := r.find(block.Namespace, ctx, t.Host, exprs...)
	r.Tell(found.Diags)
	block.Invalid = block.Invalid || found.Diags.HasErrors()
	t.Args = found.found
	// References to a task of which the expressions ask whether it failed are orders only.
	for _, asks := range t.Args {
		for i := range t.Args {
			if asks.Failed && t.Args[i].Block == asks.Block && (asks.Task == nil || t.Args[i].Task == nil || t.Args[i].Task == asks.Task) {
				t.Args[i].Soft = true
			}
		}
	}
	if t.Skip == "" {
		t.Args.use()
	}
	block.Linked = !found.own && !slices.ContainsFunc(block.Spec.DependsOn, block.Namespace.Differs)
	for _, expr := range block.Spec.DependsOn {
		t.After = append(t.After, r.dependencies(block.Namespace, expr, ctx, t.Host, block.Spec.Handler)...)
	}
	for in := block.Spec.In; in.Parent != nil && !block.Spec.Handler; in = in.Parent {
		outer := r.Set.Namespaces[in.Parent]
		block.Linked = block.Linked && !slices.ContainsFunc(in.DependsOn, outer.Differs)
		for _, expr := range in.DependsOn {
			t.After = append(t.After, r.dependencies(outer, expr, r.around(t, in, expr), t.Host, false)...)
		}
	}
}

// needs lists the tasks whose values a task needs, and its host.
func (r *resolver) needs(t *Task) []string {
	first, reach := t.Block.Tasks[0], r.Host(t.Host).Reach
	if t != first && t.Block.Linked && len(reach) == 0 && len(r.Host(first.Host).Reach) == 0 {
		return first.Needs
	}
	all := Addresses(append(t.Args.Tasks(), reach...))
	slices.Sort(all)
	return slices.Compact(all)
}

// around returns the scope of an argument of an import for a task in it: the names of the
// importer and the each of the import, which are not those of the task.
func (r *resolver) around(t *Task, in *spec.Namespace, expr hcl.Expression) *hcl.EvalContext {
	ctx := r.Set.Namespaces[in].Scope.Outside(expr.Range().Filename).NewChild()
	ctx.Variables = map[string]cty.Value{"host": r.host(t.Host, nil)}
	return ctx
}

// Sensitive reports whether the values of a block's instances are sensitive.
func (all *Refs) Sensitive(b *Block) bool { return all.tainted[b] || b.Spec.Sensitive }

// Later holds expressions that are evaluated after the tasks.
type Later struct {
	Args References

	scope *hcl.EvalContext
	in    *expand.Namespace
}

// Later finds what expressions in a file refer to, and their values as far as they are known
// before the run. If they have a value for each host, it is that on the host.
func (all *Refs) Later(in *expand.Namespace, file, host string, exprs ...hcl.Expression) (Later, []cty.Value, diag.List) {
	l := Later{scope: in.Context(file), in: in}
	found := all.find(in, l.scope, host, exprs...)
	l.Args = found.found
	diags, values := found.Diags, []cty.Value(nil)
	if !diags.HasErrors() {
		for _, expr := range exprs {
			value, problems := bounds.Value(expr, all.LaterContext(l, nil))
			diags = append(diags, diag.FromHCL(problems)...)
			values = append(values, value)
		}
	}
	return l, values, diags
}

// LaterContext returns the scope of such expressions with the values of tasks.
func (all *Refs) LaterContext(l Later, values *Values) *hcl.EvalContext {
	ctx := l.scope.NewChild()
	ctx.Variables = all.Variables(l.Args, l.in, values)
	return ctx
}

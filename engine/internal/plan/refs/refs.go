package refs

import (
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/sensitive"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Refs holds the tasks of all instances, with their references.
type Refs struct {
	Set    *expand.Set
	Blocks []*Block // by place in the files, handlers last

	blocks   map[*expand.Block]*Block
	tasks    map[string]*Task // by address
	secrets  map[*expand.Namespace]map[string]*Block
	bindings map[bound]*binding
	made     []*binding       // in the order in which they were found
	hosts    map[string]*Host // the declared ones, by name
	noHost   *Host
	known    map[string]map[string]cty.Value // the value of host on hosts that need no task

	foreseen map[*Block]foreseen
	foretold map[*Task]map[string]cty.Value // the outputs that are known before the run, by name
	given    map[*binding]cty.Value         // the values of bindings before the run
	tainted  map[*Block]bool                // the values of their instances are sensitive
}

// Block is a task block with its instances' references.
type Block struct {
	*expand.Block
	Tasks   []*Task
	Linked  bool // its instances refer to the same
	Invalid bool // its instances or references are not known because of an error that was reported
}

// Task is an instance with its values that are known before the run.
type Task struct {
	*expand.Instance
	Block     *Block
	Skip      string // why it is skipped ("when is false"); empty if it is done
	Retry     Retry
	Timeout   time.Duration // of an attempt; 0 means the run's default
	Throttle  int           // how many tasks of the block are done at the same time; 0 means any number
	Advice    string        // what a user can do when the task fails; may be empty
	Become    *Become       // nil means the user of the host
	Sensitive bool          // nothing of its output may be shown
	Needs     []string      // addresses of the tasks whose values its arguments and its host read
	Args      References    // of its arguments
	After     References    // of depends_on

	arguments []argument // the outputs that may be known before the task is done
}

// Retry holds how often a task is tried.
type Retry struct {
	Attempts int           // at least 1
	Delay    time.Duration // between two attempts
}

// Become is the user that a task works as.
type Become struct {
	User   string // empty means the login user
	Method string // "sudo", "doas" or "su"; empty means sudo
}

// Host is a host that a host block declares, with its references.
type Host struct {
	*expand.Host
	Args     References
	After    References
	Reach    []*Task // whose values are needed to reach it
	Creators []*Task // that create it, or the host it is reached through

	fixed cty.Value // the address, if it needs no task
}

// Reference is an expression's mention of a task.
type Reference struct {
	Block *Block // nil for a binding itself
	Task  *Task  // the instance, or nil for all of them
	At    hcl.Range
	Soft  bool // an order only: the other task may fail

	Nothing bool   // only the object of the instances, none of them
	Outcome bool   // only how the task ended
	Output  string // only this output; empty for all
	Failed  bool   // whether it failed, so that it may

	through *binding // the binding that refers to it; nil if the expression does
}

// References are the mentions of tasks in the expressions of one block.
type References []Reference

// bound is a binding on a host, if it has a value for each host.
type bound struct {
	binding *expand.Binding
	host    string // empty without
}

// anyHost stands for a host that is not known.
const anyHost = "*"

// binding is a binding with its references, on one host if it has a value for each.
type binding struct {
	*expand.Binding
	host     string
	args     References
	referred bool // args were found, or are being found
	used     bool // a task that is not skipped reads it
	invalid  bool // it has no value because of an error that was reported
}

// foreseen holds the values of references to a block before the run. It is made once, since
// many tasks may refer to many instances.
type foreseen struct {
	done cty.Value           // of an instance that is done, if they are the same for all
	own  map[*Task]cty.Value // of the instances, if some of their arguments differ
	all  cty.Value           // of all instances
}

// argument is an output of a task that is one of its arguments, with the references of the
// argument's expression, which is nil for an argument that is left out.
type argument struct {
	module.ArgumentOutput
	expr hcl.Expression
	refs References
}

// Tasks lists the instances of the reference.
func (r Reference) Tasks() []*Task {
	switch {
	case r.Block == nil || r.Nothing:
		return nil
	case r.Task != nil:
		return []*Task{r.Task}
	}
	return r.Block.Tasks
}

// Tasks lists the instances of the references, each once.
func (r References) Tasks() []*Task {
	var all []*Task
	seen := map[*Task]bool{}
	for _, ref := range r {
		for _, t := range ref.Tasks() {
			if !seen[t] {
				seen[t] = true
				all = append(all, t)
			}
		}
	}
	return all
}

// At returns the first place that refers to an instance.
func (r References) At(t *Task) hcl.Range {
	if all := r.to(t); len(all) > 0 {
		return all[0].At
	}
	return hcl.Range{}
}

// to returns the references to an instance, or to all of its block.
func (r References) to(t *Task) References {
	return slices.DeleteFunc(slices.Clone(r), func(ref Reference) bool {
		return ref.Block != t.Block || ref.Task != nil && ref.Task != t || ref.Nothing
	})
}

// Addresses lists the addresses of tasks.
func Addresses(tasks []*Task) []string {
	return lists.Map(tasks, func(t *Task) string { return t.Address })
}

// blocks lists the blocks that the expressions themselves mention, each once.
func (r References) blocks() []*Block {
	var all []*Block
	for _, ref := range r {
		if ref.through == nil && !slices.Contains(all, ref.Block) {
			all = append(all, ref.Block)
		}
	}
	return all
}

// bindings lists the bindings in the references, each once.
func (r References) bindings() []*binding {
	var all []*binding
	for _, ref := range r {
		if ref.Block == nil && !slices.Contains(all, ref.through) {
			all = append(all, ref.through)
		}
	}
	return all
}

// Variables returns the values of task, secret and bindings in expressions of a namespace
// with these references. Without Values, those of tasks are unknown. The caller must not
// change the map.
func (all *Refs) Variables(r References, in *expand.Namespace, values *Values) map[string]cty.Value {
	if len(r) == 0 {
		return in.Nothing
	}
	secrets, mentioned := maps.Clone(in.Secrets), r.blocks()
	for name, block := range all.secrets[in] {
		if slices.Contains(mentioned, block) {
			secrets[name] = madeSecret(all.of(r, block, values))
		}
	}
	modules := map[string]map[string]cty.Value{}
	for _, b := range mentioned {
		names := modules[b.Spec.Module]
		if names == nil {
			names = map[string]cty.Value{}
			modules[b.Spec.Module] = names
		}
		names[b.Spec.Name] = all.of(r, b, values)
	}
	tasks := map[string]cty.Value{}
	for name, names := range modules {
		tasks[name] = cty.ObjectVal(names)
	}
	variables := maps.Clone(in.Nothing)
	variables["task"], variables["secret"] = cty.ObjectVal(tasks), cty.ObjectVal(secrets)
	if bindings := r.bindings(); len(bindings) > 0 {
		in.Give(variables, all.values(bindings, values))
	}
	return variables
}

// madeSecret returns a secret that a task made: its value, or a key pair.
func madeSecret(outputs cty.Value) cty.Value {
	if t := outputs.Type(); t.IsObjectType() && t.HasAttribute("value") {
		return outputs.GetAttr("value")
	}
	return outputs
}

// of returns the value of one block: the values of its only instance, or an object of the
// referenced instances.
func (all *Refs) of(r References, b *Block, values *Values) cty.Value {
	mentions := slices.DeleteFunc(slices.Clone(r), func(ref Reference) bool { return ref.Block != b })
	outcomes := slices.ContainsFunc(mentions, func(ref Reference) bool { return ref.Outcome })
	object := func(t *Task) cty.Value {
		if outcomes {
			return all.withOutcome(t, values)
		}
		return all.object(t, values)
	}
	switch f, ok := all.foreseen[b]; {
	case b.Invalid:
		return cty.DynamicVal
	case b.Single:
		return object(b.Tasks[0])
	case values == nil && ok && !outcomes && slices.ContainsFunc(mentions, func(ref Reference) bool { return ref.Task == nil && !ref.Nothing }):
		return f.all
	}
	return b.nested(mentions.Tasks(), nil, object)
}

// withOutcome is object with how the task ended, where an expression asks for it. Elsewhere a
// value of the whole task would differ between a run with a change and the next one.
func (all *Refs) withOutcome(t *Task, values *Values) cty.Value {
	object := all.object(t, values)
	if !object.Type().IsObjectType() {
		return object
	}
	attributes := object.AsValueMap()
	if attributes == nil {
		attributes = map[string]cty.Value{}
	}
	o, ended := values.Outcome(t.Address)
	for name, value := range map[string]bool{changedName: o.Changed, failedName: o.Failed} {
		if _, own := attributes[name]; own {
			continue
		}
		if attributes[name] = cty.BoolVal(value); !ended && t.Skip == "" {
			attributes[name] = cty.UnknownVal(cty.Bool)
		}
	}
	return cty.ObjectVal(attributes)
}

// The names of how a task ended, among its outputs.
const (
	changedName = "changed"
	failedName  = "failed"
)

// Values reports whether the references need values of a task, given how it ended.
func (r References) Values(t *Task, values *Values) bool {
	_, ended := values.Outcome(t.Address)
	_, state := values.get(t.Address)
	mentions := r.to(t)
	for _, ref := range mentions {
		if !(ended && (ref.Outcome || ref.Soft && state == Missing)) && !values.foretells(t.Address, ref.Output) {
			return true
		}
	}
	return len(mentions) == 0 // it is needed for the host
}

// AskOnly reports whether the references to a task only ask how it ended.
func (r References) AskOnly(t *Task) bool {
	mentions := r.to(t)
	return len(mentions) > 0 && !slices.ContainsFunc(mentions, func(ref Reference) bool { return !ref.Outcome })
}

// nested makes an object of the values of instances by their keys after the first ones: of
// instances with several keys, an object of objects.
func (b *Block) nested(tasks []*Task, first []string, value func(*Task) cty.Value) cty.Value {
	at, attributes := len(first), map[string]cty.Value{}
	if at+1 >= b.Depth {
		for _, t := range tasks {
			attributes[t.Keys[at]] = value(t)
		}
		return cty.ObjectVal(attributes)
	}
	below := map[string][]*Task{}
	for _, t := range tasks {
		below[t.Keys[at]] = append(below[t.Keys[at]], t)
	}
	for _, key := range b.Keys(first...) {
		attributes[key] = b.nested(below[key], append(slices.Clip(first), key), value)
	}
	return cty.ObjectVal(attributes)
}

// object returns a task's values for expressions: every output of its module, null if the
// task returned no value or did not run.
func (all *Refs) object(t *Task, values *Values) cty.Value {
	if t.Block.Kind == nil {
		return cty.DynamicVal
	}
	if values == nil && t.Skip == "" {
		if f, ok := all.foreseen[t.Block]; ok && f.own != nil {
			return f.own[t]
		} else if ok {
			return f.done
		}
	}
	returned, is := values.get(t.Address)
	if t.Skip != "" {
		returned, is = nil, Known
	} else if values == nil {
		returned = all.foretold[t]
	}
	outputs := map[string]cty.Value{}
	for name, kind := range t.Block.Outputs {
		outputs[name] = cty.UnknownVal(kind)
		if value, ok := returned[name]; ok || is != Unknown {
			outputs[name] = Typed(value, kind)
		}
		if t.Block.Spec.Sensitive || all.tainted[t.Block] || slices.Contains(t.Block.Secrets, name) {
			outputs[name] = sensitive.Mark(outputs[name])
		}
	}
	return cty.ObjectVal(outputs)
}

// values returns the values of bindings. One that cannot be evaluated is null in a run; tasks that
// need its value call Problems first.
func (all *Refs) values(bindings []*binding, values *Values) expand.Given {
	found := expand.Given{}
	for _, r := range bindings {
		value, diags := all.value(r, values)
		if diags.HasErrors() && values != nil {
			value = cty.NullVal(cty.DynamicPseudoType)
		}
		found[r.Binding] = value
	}
	return found
}

func (all *Refs) value(r *binding, values *Values) (cty.Value, diag.List) {
	if r.invalid {
		return cty.DynamicVal, nil
	}
	if given, ok := all.given[r]; ok && values == nil {
		return given, nil
	}
	ctx := all.scope(r, values).NewChild()
	ctx.Variables = all.Variables(r.args, r.Namespace, values)
	value, problems := bounds.Value(r.Expr, ctx)
	if problems.HasErrors() {
		return cty.DynamicVal, r.onHost(diag.FromHCL(problems))
	}
	value, diags := r.Give(value)
	return value, r.onHost(diags)
}

// onHost adds to diagnostics the host for which the binding has its value.
func (r *binding) onHost(diags diag.List) diag.List {
	if r.host == "" || r.host == anyHost {
		return diags
	}
	for i := range diags {
		diags[i].Detail += " This is " + r.Title() + " on the host " + r.host + "."
	}
	return diags
}

// use records that a task reads the bindings of the references.
func (r References) use() {
	for _, one := range r.bindings() {
		if !one.used {
			one.used = true
			one.args.use()
		}
	}
}

// scope returns the scope of a binding's expression, without references.
func (all *Refs) scope(r *binding, values *Values) *hcl.EvalContext {
	if r.host == "" {
		return r.Context(cty.NilVal)
	}
	return r.Context(all.host(r.host, values))
}

// Problems reports the bindings that cannot be evaluated.
func (all *Refs) Problems(r References, values *Values) diag.List {
	var diags diag.List
	for _, binding := range r.bindings() {
		diags = append(diags, all.Problems(binding.args, values)...)
		if diags.HasErrors() {
			continue
		}
		_, more := all.value(binding, values)
		diags = append(diags, more...)
	}
	return diags
}

// Pending lists the tasks whose values are in one of the states.
func (all *Refs) Pending(needs []string, values *Values, is ...State) []string {
	var found []string
	for _, address := range needs {
		if t := all.tasks[address]; t == nil || t.Skip != "" {
			continue
		}
		if _, have := values.get(address); slices.Contains(is, have) {
			found = append(found, address)
		}
	}
	return found
}

// Unanswered lists those of the tasks whose values are in one of the states and that references
// need.
func (all *Refs) Unanswered(needs []string, args References, values *Values, is ...State) []string {
	return slices.DeleteFunc(all.Pending(needs, values, is...), func(address string) bool {
		return !args.Values(all.tasks[address], values)
	})
}

// Task returns the task with an address, or nil.
func (all *Refs) Task(address string) *Task { return all.tasks[address] }

// Host returns the references of a host, which are empty if no block declares it.
func (all *Refs) Host(name string) *Host {
	if h := all.hosts[name]; h != nil {
		return h
	}
	return all.noHost
}

// Late returns the scope of a declared host's arguments, with the values of tasks.
func (all *Refs) Late(h *Host, values *Values) *hcl.EvalContext {
	ctx := h.Scope.NewChild()
	ctx.Variables = all.Variables(h.Args, h.Namespace, values)
	return ctx
}

// host returns a host's value for expressions. Without Values, the parts that depend on
// tasks are unknown.
func (all *Refs) host(name string, values *Values) cty.Value {
	if name == anyHost {
		return cty.ObjectVal(map[string]cty.Value{
			"name": cty.UnknownVal(cty.String), "address": cty.UnknownVal(cty.String), "groups": cty.UnknownVal(cty.List(cty.String)), "vars": cty.DynamicVal,
		})
	}
	return all.Set.Hosts.Value(name, func(*expand.Host) cty.Value { return all.address(all.hosts[name], values) })
}

// address evaluates only the address, which may be known when other arguments are not.
func (all *Refs) address(h *Host, values *Values) cty.Value {
	if h.fixed != cty.NilVal {
		return h.fixed
	}
	value, problems := bounds.Value(h.Spec.Address, all.Late(h, values))
	if problems.HasErrors() {
		return cty.UnknownVal(cty.String) // reported when the block is checked
	}
	return Typed(value, cty.String)
}

// remember stores the value of host on a host, which is the same for all its tasks.
func (all *Refs) remember(name string) {
	all.known[name] = map[string]cty.Value{"host": all.host(name, nil)}
}

// Context returns the scope of a task's arguments, with the values of other tasks. Without
// Values these are unknown.
func (all *Refs) Context(t *Task, values *Values) *hcl.EvalContext {
	return all.ContextWith(t, all.Variables(t.Args, t.Block.Namespace, values), values)
}

// ContextWith is Context with given values of its references.
func (all *Refs) ContextWith(t *Task, references map[string]cty.Value, values *Values) *hcl.EvalContext {
	ctx := t.Scope.NewChild()
	if ctx.Variables = all.known[t.Host]; ctx.Variables == nil {
		ctx.Variables = map[string]cty.Value{"host": all.host(t.Host, values)}
	}
	ctx = ctx.NewChild()
	ctx.Variables = references
	return ctx
}

// ReadsAny reports whether an instance reads values of one of the blocks.
func (b *Block) ReadsAny(others []*Block) bool {
	for _, t := range b.Tasks {
		if slices.ContainsFunc(t.Args, func(ref Reference) bool { return slices.Contains(others, ref.Block) }) {
			return true
		}
		if b.Linked {
			break
		}
	}
	return false
}

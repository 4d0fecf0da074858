package expand

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Input is the input of Instances.
type Input struct {
	Spec      *spec.Spec
	Scope     *eval.Scope // after SetCluster
	Inventory *inventory.Inventory
	Hosts     []*inventory.Host // the selected hosts
	Kinds     []module.Kind
}

// expander is the state of one Instances. No other package sees it.
type expander struct {
	Early
	*Set
	kinds    map[string]*module.Kind
	eachHost map[string]map[string]cty.Value // the value of each for a host, by name
}

// Instances makes the hosts that host blocks declare and the instances of all tasks and
// handlers. It returns a set with errors too, so that all errors can be reported at once.
func Instances(in Input) (*Set, diag.List) {
	all, bindings, diags := namespaces(in.Spec, in.Scope)
	x := &expander{
		Early: Early{diag.Collector{Diags: diags}},
		Set: &Set{
			Spec: in.Spec, Hosts: newHosts(in.Inventory, in.Hosts), Namespaces: all, Bindings: bindings, byAddress: map[string]*Block{},
		},
		kinds: map[string]*module.Kind{}, eachHost: map[string]map[string]cty.Value{},
	}
	for i, kind := range in.Kinds {
		if x.kinds[kind.Name] != nil {
			panic("plan: two modules are named " + kind.Name + "; this is a bug in kinit")
		}
		x.kinds[kind.Name] = &in.Kinds[i]
	}
	for _, s := range in.Spec.Hosts {
		x.declareHosts(s)
	}
	x.checkVia()
	for _, s := range in.Spec.Tasks {
		x.expand(x.declare(s))
	}
	for _, s := range in.Spec.Handlers {
		block := x.declare(s)
		block.Depth, block.Hosts = 1, x.ownHosts(block)
	}
	(&notices{&x.Early, x.Set}).find()
	x.expandHandlers()
	return x.Set, x.Diags
}

// declareHosts expands a host block. Its references are found later, when the tasks are
// known.
func (x *expander) declareHosts(s *spec.Host) {
	namespace := x.Namespaces[s.In]
	scope := namespace.Context(s.Range.Filename)
	if s.ForEach == nil {
		x.declareHost(s, scope, s.Label)
		return
	}
	for _, e := range x.elements(namespace, s.ForEach, scope) {
		x.declareHost(s, within(scope, e), e.Key)
	}
}

// within returns a scope in which each is an element of a for_each.
func within(scope *hcl.EvalContext, e eval.Element) *hcl.EvalContext {
	inner := scope.NewChild()
	inner.Variables = map[string]cty.Value{"each": e.Each(lookUp(scope, "each"))}
	return inner
}

// withHost returns a scope in which each is a host's name. It keeps the values, since many
// blocks have the same hosts.
func (x *expander) withHost(scope *hcl.EvalContext, name string) *hcl.EvalContext {
	inner := scope.NewChild()
	if x.eachHost[name] == nil {
		each := eval.Element{Key: name, Value: cty.StringVal(name)}.Each(cty.NilVal)
		x.eachHost[name] = map[string]cty.Value{"each": each}
	}
	inner.Variables = x.eachHost[name]
	return inner
}

func (x *expander) declareHost(s *spec.Host, scope *hcl.EvalContext, name string) {
	h := &Host{Spec: s, Scope: scope, Vars: cty.EmptyObjectVal, Namespace: x.Namespaces[s.In]}
	if s.Name != nil {
		before := len(x.Diags)
		given, ok := x.Text(h.Namespace, "name", s.Name, scope)
		if len(x.Diags) > before {
			return
		}
		if ok {
			name = given
		}
	}
	h.Name = name
	if x.Hosts.Has(name) {
		at := s.Range
		if s.Name != nil {
			at = s.Name.Range()
		}
		x.Errorf(at, "Duplicate host", "There is a host %q already. Give this one another name.", name)
		return
	}
	if h.Via, _ = x.Text(h.Namespace, "via", s.Via, scope); h.Via == inventory.Localhost {
		h.Via = ""
	}
	if value, ok := x.Value(h.Namespace, "vars", s.Vars, scope); ok && !value.IsNull() {
		h.Vars = value
	}
	h.Ways = Ways{
		Console: x.words(h, "console", s.Console), TakeConsole: x.words(h, "take_console", s.TakeConsole),
		Screen: x.words(h, "screen", s.Screen), Shell: x.words(h, "shell", s.Shell),
	}
	x.Hosts.made[name] = h
	x.Hosts.Declared = append(x.Hosts.Declared, h)
}

// words evaluates a command of a host block, which must not need a task.
func (x *expander) words(h *Host, argument string, expr hcl.Expression) []string {
	value, ok := x.Open(h.Namespace, argument, expr, h.Scope)
	if !ok || value.IsNull() {
		return nil
	}
	list, err := convert.Convert(value, cty.List(cty.String))
	if err != nil || !list.IsWhollyKnown() {
		x.Errorf(expr.Range(), "Invalid "+argument, "Give a command as a list of words, as in: %s = [\"podman\", \"attach\", each.key]", argument)
		return nil
	}
	return lists.Map(list.AsValueSlice(), cty.Value.AsString)
}

// checkVia reports hosts that are reached through missing hosts or through themselves.
func (x *expander) checkVia() {
	for _, h := range x.Hosts.Declared {
		if h.Via == "" {
			continue
		}
		at := h.Spec.Via.Range()
		if !x.Hosts.Has(h.Via) {
			x.Errorf(at, "Unknown host", "The host %q is reached via %q, which is no host.%s", h.Name, h.Via, diag.Near(h.Via, x.Hosts.Names()))
			continue
		}
		chain := x.Hosts.Chain(h.Name)
		if last := chain[len(chain)-1]; x.Hosts.made[last.Via] != nil {
			x.Errorf(at, "Hosts in a cycle", "The host %q is reached through itself.", h.Name)
		}
	}
}

// UnknownModule returns the error of a task whose module does not exist.
func UnknownModule(t *spec.Task, known []string) diag.List {
	return diag.Errorf(&t.ModuleRange, "Unknown module", "There is no module %q.%s", t.Module, cmp.Or(diag.HintModule(t.Module, known), " \"kinit modules\" lists all."))
}

// declare makes a task or handler block without instances.
func (x *expander) declare(s *spec.Task) *Block {
	block := &Block{
		Namespace: x.Namespaces[s.In], Spec: s, Kind: x.kinds[s.Module], byKey: map[string]*Instance{}, below: map[string][]string{},
	}
	if block.Kind == nil {
		x.Tell(UnknownModule(s, slices.Collect(maps.Keys(x.kinds))))
	} else {
		task := block.Kind.New()
		block.Outputs, block.Secrets = module.OutputTypes(task), module.SecretOutputs(task)
		block.Arguments = module.ArgumentOutputs(task)
	}
	x.Blocks = append(x.Blocks, block)
	x.byAddress[s.Address()] = block
	return block
}

// expand makes the instances of one block: for each host one for each element of the loops.
func (x *expander) expand(block *Block) {
	s, scope := block.Spec, block.Namespace.Context(block.Spec.Range.Filename)
	before := len(x.Diags)
	loops := slices.Clone(s.Loops)
	if s.ForEach != nil {
		loops = append(loops, s.ForEach)
	}
	block.Depth = len(loops)
	switch {
	case s.Hosts != nil && x.runOnce(s, scope):
		x.expandOnce(block, loops, scope)
	case s.Hosts != nil:
		block.Depth++
		for _, name := range x.hostNames(block.Namespace, s.Hosts, scope) {
			block.note(nil, name)
			x.loop(block, loops, []string{name}, x.onHost(scope, name, loops), name)
		}
	default:
		x.loop(block, loops, nil, scope, "")
	}
	block.Single = block.Depth == 0
	block.Invalid = len(x.Diags) > before
}

// onHost returns the scope of the instances on a host of hosts. If they are those of a loop,
// each belongs to the loop, which may refer to the host.
func (x *expander) onHost(scope *hcl.EvalContext, name string, loops []hcl.Expression) *hcl.EvalContext {
	if len(loops) == 0 {
		return x.withHost(scope, name)
	}
	inner := scope.NewChild()
	unknown := func(*Host) cty.Value { return cty.UnknownVal(cty.String) }
	inner.Variables = map[string]cty.Value{hostName: x.Hosts.Value(name, unknown)}
	return inner
}

// loop makes the instances of loops within each other. Without a host, the block's host is
// evaluated for each instance.
func (x *expander) loop(block *Block, loops []hcl.Expression, keys []string, scope *hcl.EvalContext, host string) {
	if len(loops) == 0 {
		if host == "" {
			host = x.hostName(block.Spec, scope)
		}
		x.instance(block, keys, scope, host)
		return
	}
	for _, e := range x.elements(block.Namespace, loops[0], scope) {
		x.loop(block, loops[1:], append(slices.Clip(keys), e.Key), within(scope, e), host)
	}
}

func (x *expander) runOnce(s *spec.Task, scope *hcl.EvalContext) bool {
	value, ok := x.As(x.Namespaces[s.In], "run_once", s.RunOnce, scope, cty.Bool)
	return ok && value.True()
}

// expandOnce makes the instances for the first of the hosts. Its name is no key, since there
// is no other.
func (x *expander) expandOnce(block *Block, loops []hcl.Expression, scope *hcl.EvalContext) {
	names := x.hostNames(block.Namespace, block.Spec.Hosts, scope)
	if len(names) > 0 {
		x.loop(block, loops, nil, x.onHost(scope, names[0], loops), names[0])
		return
	}
	if len(loops) == 0 {
		x.instance(block, nil, scope, inventory.Localhost).Idle = "there are no hosts"
	}
}

// hostName evaluates host; without it the task is on the local machine.
func (x *expander) hostName(s *spec.Task, ctx *hcl.EvalContext) string {
	if s.Host == nil {
		return inventory.Localhost
	}
	value, ok := x.As(x.Namespaces[s.In], "host", s.Host, ctx, cty.String)
	if s.InsteadOfHosts {
		value, ok = x.Must(x.Namespaces[s.In], "host", s.Host, ctx, cty.String, "The block around the task has hosts, and this is given in their place. Leave it out, or name a host.")
	}
	if !ok {
		return inventory.Localhost
	}
	x.checkHost(value.AsString(), s.Host.Range())
	return value.AsString()
}

func (x *expander) hostNames(in *Namespace, expr hcl.Expression, ctx *hcl.EvalContext) []string {
	value, ok := x.Must(in, "hosts", expr, ctx, cty.List(cty.String), "For no hosts give an empty list, as in: hosts = coalesce(var.hosts, [])")
	if !ok {
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for i, element := range value.AsValueSlice() {
		if element.IsNull() {
			x.Errorf(expr.Range(), "Wrong type", "hosts has a null.")
			return nil
		}
		if name := element.AsString(); !seen[name] {
			seen[name] = true
			if !x.Hosts.Has(name) {
				x.checkHost(name, elementAt(expr, i))
			}
			names = append(names, name)
		}
	}
	return names
}

// elementAt returns the place of an element of a list, or the whole expression if it is no
// list of elements.
func elementAt(expr hcl.Expression, i int) hcl.Range {
	elements, problems := hcl.ExprList(expr)
	if problems.HasErrors() || i >= len(elements) {
		return expr.Range()
	}
	return elements[i].Range()
}

func (x *expander) checkHost(name string, at hcl.Range) {
	if !x.Hosts.Has(name) {
		x.Errorf(at, "Unknown host", "There is no host %q: it is not selected by --hosts, not in an inventory, and no host block declares it.%s",
			name, diag.Near(name, x.Hosts.Names()))
	}
}

// instance makes one task. Without hosts, it is for the host that one of its keys names.
func (x *expander) instance(block *Block, keys []string, scope *hcl.EvalContext, host string) *Instance {
	t := block.add(keys, host, scope)
	for _, key := range keys {
		if block.Spec.Hosts == nil && key != "" && key != inventory.Localhost && x.Hosts.Has(key) {
			t.For = key
			break
		}
	}
	return t
}

// ownHosts evaluates the host or hosts of a handler; it is nil without one.
func (x *expander) ownHosts(block *Block) []string {
	s, scope := block.Spec, block.Namespace.Context(block.Spec.Range.Filename)
	switch {
	case s.Hosts != nil:
		return append([]string{}, x.hostNames(block.Namespace, s.Hosts, scope)...)
	case s.Host != nil:
		return []string{x.hostName(s, scope)}
	}
	return nil
}

// HandlerHosts lists the hosts on which a handler runs that a task on a host notifies.
func (b *Block) HandlerHosts(host string) []string {
	if b.Hosts != nil {
		return b.Hosts
	}
	return []string{host}
}

// expandHandlers makes an instance of a handler for each host on which something may
// notify it.
func (x *expander) expandHandlers() {
	var todo []*Instance
	for _, block := range x.Blocks {
		todo = append(todo, block.Instances...)
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, n := range todo[0].Of.Notifies {
			for _, host := range n.Handler.HandlerHosts(todo[0].Host) {
				if n.Handler.Instance(host) == nil {
					todo = append(todo, n.Handler.add([]string{host}, host, n.Handler.Namespace.Context(n.Handler.Spec.Range.Filename)))
				}
			}
		}
	}
}

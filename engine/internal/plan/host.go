package plan

import (
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// HostSettings is how a host is reached.
type HostSettings = inventory.Settings

// hosts is every machine that tasks may be on.
type hosts struct {
	inventory *inventory.Inventory
	selected  []*inventory.Host
	declared  map[string]*declaredHost
	order     []*declaredHost
	byName    map[string]*inventory.Host      // those that are selected
	known     map[string]map[string]cty.Value // what host means on those whose values need no task
}

// newHosts makes the hosts that are there before the playbook says any.
func newHosts(inv *inventory.Inventory, selected []*inventory.Host) *hosts {
	h := &hosts{
		inventory: inv, selected: selected, declared: map[string]*declaredHost{},
		byName: map[string]*inventory.Host{}, known: map[string]map[string]cty.Value{},
	}
	for _, host := range selected {
		if h.byName[host.Name] == nil {
			h.byName[host.Name] = host
			h.remember(host.Name)
		}
	}
	return h
}

// remember keeps what host means on a host, which is the same for all its tasks.
func (h *hosts) remember(name string) {
	h.known[name] = map[string]cty.Value{"host": h.value(name, nil)}
}

// variables is what host means on a host. Without Values, what depends on tasks is
// unknown.
func (h *hosts) variables(name string, values *Values) map[string]cty.Value {
	if known := h.known[name]; known != nil {
		return known
	}
	return map[string]cty.Value{"host": h.value(name, values)}
}

// declaredHost is an instance of a host block.
type declaredHost struct {
	name  string
	spec  *spec.Host
	via   string // empty means none
	vars  cty.Value
	scope *hcl.EvalContext // with each
	reads references       // of its arguments
	after references       // of depends_on
	space *space
	fixed cty.Value // the address, where it needs no task
	ways  Ways
}

// Ways are commands on the machine through which a host is reached. They lead to the
// host without its network; each may be missing.
type Ways struct {
	Console     []string // lends its terminal to the host's console
	TakeConsole []string // the same, after it has ended somebody else's session
	Screen      []string // prints where the host's VNC server is, as virsh vncdisplay does
}

// names lists the hosts that a mistyped name may have meant.
func (h *hosts) names() []string {
	names := []string{inventory.Localhost}
	for _, host := range slices.Concat(h.selected, h.inventory.Hosts) {
		names = append(names, host.Name)
	}
	for _, host := range h.order {
		names = append(names, host.name)
	}
	return names
}

func (h *hosts) has(name string) bool {
	return name == inventory.Localhost || h.declared[name] != nil || h.find(name) != nil
}

// find returns a host of the command line or the inventory, or nil.
func (h *hosts) find(name string) *inventory.Host {
	if host := h.byName[name]; host != nil {
		return host
	}
	return h.inventory.Host(name)
}

// chain is a declared host and the declared hosts it is reached through.
func (h *hosts) chain(name string) []*declaredHost {
	var all []*declaredHost
	for host := h.declared[name]; host != nil && !slices.Contains(all, host); host = h.declared[host.via] {
		all = append(all, host)
	}
	return all
}

// reads lists the tasks whose values it takes to reach a host.
func (h *hosts) reads(name string) []*Task {
	var refs references
	for _, host := range h.chain(name) {
		refs = append(refs, host.reads...)
	}
	return refs.tasks()
}

// value is the host as expressions see it. Without Values, what depends on tasks
// is unknown.
func (h *hosts) value(name string, values *Values) cty.Value {
	if host := h.find(name); host != nil {
		return host.Value()
	}
	address := cty.StringVal(name)
	vars := cty.EmptyObjectVal
	if host := h.declared[name]; host != nil {
		vars = host.vars
		address = host.address(values)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal(name), "address": address, "groups": cty.ListValEmpty(cty.String), "vars": vars,
	})
}

// address evaluates the address alone, which may be known when the rest is not.
func (h *declaredHost) address(values *Values) cty.Value {
	if h.fixed != cty.NilVal {
		return h.fixed
	}
	value, problems := bounds.Value(h.spec.Address, h.late(values))
	if problems.HasErrors() {
		return cty.UnknownVal(cty.String) // told when the block is checked
	}
	return typed(value, cty.String)
}

// late is the scope with the values of tasks.
func (h *declaredHost) late(values *Values) *hcl.EvalContext {
	ctx := h.scope.NewChild()
	ctx.Variables = h.reads.variables(h.space, values)
	return ctx
}

// settings evaluates the block. It returns false when something is not known.
func (h *declaredHost) settings(values *Values) (HostSettings, diag.List, bool) {
	s := HostSettings{Name: h.name, Via: h.via, Transport: inventory.SSH}
	ctx, d := h.late(values), &decoder{shared: newShared()}
	take := func(name string, expr hcl.Expression, into any) {
		if expr != nil {
			d.value(expr, name, name != "address", reflect.ValueOf(into).Elem(), ctx)
		}
	}
	take("address", h.spec.Address, &s.Address)
	take("port", h.spec.Port, &s.Port)
	take("user", h.spec.User, &s.User)
	take("transport", h.spec.Transport, &s.Transport)
	take("private_key", h.spec.PrivateKey, &s.PrivateKey)
	take("password", h.spec.Password, &s.Password)
	take("host_keys", h.spec.HostKeys, &s.HostKeys)
	take("os", h.spec.OS, &s.OS)
	take("auth", h.spec.Auth, &s.Auth)
	take("certificate", h.spec.Certificate, &s.Certificate)
	var limit string
	if take("connect_timeout", h.spec.ConnectTimeout, &limit); limit != "" {
		var problem string
		if s.ConnectTimeout, problem = inventory.ConnectTimeout(limit); problem != "" {
			d.errorf(h.spec.ConnectTimeout.Range(), "Invalid connect_timeout", "%s", problem)
		}
	}
	take("pace", h.spec.Pace, &s.Pace)
	if s.Pace != 0 {
		if problem := inventory.Pace(s.Pace); problem != "" {
			d.errorf(h.spec.Pace.Range(), "Invalid pace", "%s", problem)
		}
	}
	if h.spec.Become != nil {
		var become cty.Value
		if d.value(h.spec.Become, "become", true, reflect.ValueOf(&become).Elem(), ctx); become != cty.NilVal {
			user, problem := inventory.Become(become)
			if s.Become = user; problem != "" {
				d.errorf(h.spec.Become.Range(), "Invalid become", "%s", problem)
			}
		}
	}
	choose := func(name, value string, expr hcl.Expression, kind inventory.Choice) {
		if value == "" {
			return
		}
		if problem := kind.Problem(value); problem != "" {
			d.errorf(expr.Range(), "Invalid "+name, "%s", problem)
		}
	}
	choose("transport", s.Transport, h.spec.Transport, inventory.Transports())
	choose("os", s.OS, h.spec.OS, inventory.Systems())
	choose("auth", s.Auth, h.spec.Auth, inventory.Logins())
	return s, d.diags, !d.unknown && !d.diags.HasErrors()
}

// HostSettings returns how a host of the plan is reached: this machine, a host of
// the inventory, or one that a host block declares with the values of tasks.
func (p *Plan) HostSettings(name string, values *Values) (HostSettings, diag.List) {
	if host := p.hosts.find(name); host != nil {
		return host.Settings, host.Problems
	}
	host := p.hosts.declared[name]
	if host == nil {
		return inventory.Outside(name), nil
	}
	if pending := host.space.pending(addresses(host.reads.tasks()), values, unknown, missing); len(pending) > 0 {
		return HostSettings{}, diag.Errorf(&host.spec.Range, "Host not known yet", "How the host %q is reached depends on the values of %s.", name, strings.Join(pending, ", "))
	}
	settings, diags, _ := host.settings(values)
	return settings, diags
}

// Ways returns the commands that lead to a host without its network.
func (p *Plan) Ways(name string) Ways {
	if host := p.hosts.declared[name]; host != nil {
		return host.ways
	}
	return Ways{}
}

// Declared tells whether a host block of the playbook declares the host.
func (p *Plan) Declared(name string) bool { return p.hosts.declared[name] != nil }

// HostNeeds returns the addresses of the tasks that bring a declared host about:
// those its block refers to and depends on, and those of the host it is reached
// through. It is empty for other hosts.
func (p *Plan) HostNeeds(name string) []string {
	var refs references
	for _, host := range p.hosts.chain(name) {
		refs = append(append(refs, host.reads...), host.after...)
	}
	return addresses(refs.tasks())
}

func addresses(tasks []*Task) []string {
	all := make([]string, len(tasks))
	for i, t := range tasks {
		all[i] = t.Address
	}
	return all
}

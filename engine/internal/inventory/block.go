package inventory

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
)

// host reads a host block, which may declare many hosts. Its expressions see the name as
// host.name.
func (l *loader) host(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	for i, name := range l.expand(b.Labels[0], b.LabelRanges[0]) {
		if first := l.inv.Host(name); first != nil && first.isHCL {
			l.errorf(b.DefRange(), "Duplicate host", "Host %q is declared already, at %s.", name, first.Range)
			return
		}
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{"host": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})}
		f := &fields{loader: l, block: b, ctx: inner}
		before := len(l.diags)
		l.oneHost(f, name)
		if i == 0 {
			f.finish()
		}
		if len(l.diags) > before {
			return // the other hosts of the range have the same mistakes
		}
	}
}

func (l *loader) oneHost(f *fields, name string) {
	h := l.inv.Host(name)
	if h == nil {
		h = &Host{Settings: Settings{Name: name, Address: name, Transport: SSH}}
		l.inv.add(h)
	}
	h.isHCL, h.Range, h.FromSSHConfig = true, f.block.DefRange(), false
	if name == Localhost {
		h.Transport = Local
	}
	h.given = f.given(true)
	l.set(&h.vars, l.object(f.expr("vars"), f.ctx))
}

// group reads a group block. A group in several files has the members of all.
func (l *loader) group(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	f := &fields{loader: l, block: b, ctx: ctx}
	g := l.inv.groupNamed(b.Labels[0], b.DefRange())
	g.isHCL = true
	for _, host := range f.names("hosts") {
		for _, name := range l.expand(host.Name, host.At) {
			l.member(g, source.Ref{Name: name, At: host.At})
		}
	}
	for _, inner := range f.names("groups") {
		l.nest(g, inner)
	}
	f.decode("priority", &g.priority)
	g.given.merge(f.given(false))
	l.set(&g.vars, l.object(f.expr("vars"), ctx))
	f.finish()
}

// given reads the arguments for how hosts are reached. Arguments that make sense for one
// host only are not allowed in a group.
func (f *fields) given(ofHost bool) given {
	g := given{has: map[string]bool{}}
	take := func(name string, target any) bool {
		g.has[name] = f.decode(name, target)
		return g.has[name]
	}
	if ofHost {
		take("address", &g.Address)
		take("host_keys", &g.HostKeys)
	}
	if take("port", &g.Port) && (g.Port < 1 || g.Port > 65535) {
		f.errorf(f.expr("port").Range(), "Invalid port", "A port is a number from 1 to 65535.")
	}
	take("user", &g.User)
	choose := func(name string, target *string, kind Choice) {
		if !take(name, target) {
			return
		}
		if problem := kind.Problem(*target); problem != "" {
			f.errorf(f.expr(name).Range(), "Invalid "+name, "%s", problem)
		}
	}
	choose("transport", &g.Transport, Transports())
	choose("os", &g.OS, Systems())
	choose("auth", &g.Auth, Logins())
	take("via", &g.Via)
	take("password", &g.Password)
	take("certificate", &g.Certificate)
	var limit string
	if take("connect_timeout", &limit) {
		var problem string
		if g.ConnectTimeout, problem = ConnectTimeout(limit); problem != "" {
			f.errorf(f.expr("connect_timeout").Range(), "Invalid connect_timeout", "%s", problem)
		}
	}
	if take("pace", &g.Pace) {
		if problem := Pace(g.Pace); problem != "" {
			f.errorf(f.expr("pace").Range(), "Invalid pace", "%s", problem)
		}
	}
	f.become(&g)
	f.keys(&g)
	return g
}

// become reads the user to become: true is root.
func (f *fields) become(g *given) {
	expr := f.expr("become")
	if expr == nil {
		return
	}
	value, problems := bounds.Value(expr, f.ctx)
	f.diags = append(f.diags, diag.FromHCL(problems)...)
	if problems.HasErrors() {
		return
	}
	user, err := Become(value)
	if err != "" {
		f.errorf(expr.Range(), "Invalid become", "%s", err)
	}
	g.Become, g.has["become"] = user, true
}

// keys reads the paths of keys. Paths are relative to the inventory's folder.
func (f *fields) keys(g *given) {
	var one string
	if f.decode("identity_file", &one) {
		g.IdentityFiles, g.has["keys"] = append(g.IdentityFiles, one), true
	}
	var more []string
	if f.decode("identity_files", &more) {
		g.IdentityFiles, g.has["keys"] = append(g.IdentityFiles, more...), true
	}
	for i, file := range g.IdentityFiles {
		g.IdentityFiles[i] = f.path(file)
	}
	if g.has["known_hosts"] = f.decode("known_hosts", &g.KnownHosts); g.has["known_hosts"] {
		g.KnownHosts = f.path(g.KnownHosts)
	}
}

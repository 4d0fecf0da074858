package inventory

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/lists"
	"kinit/engine/secret"
)

// host reads a host block, which may declare many hosts. Its expressions see the name as
// host.name.
func (l *loader) host(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	for i, name := range l.expand(b.Labels[0], b.LabelRanges[0]) {
		if first := l.inv.Host(name); first != nil && first.isHCL {
			l.Errorf(b.DefRange(), "Duplicate host", "Host %q is declared already, at %s.", name, first.Range)
			return
		}
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{"host": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name)})}
		f := &fields{loader: l, block: b, ctx: inner}
		before := len(l.Diags)
		l.oneHost(f, name)
		if i == 0 {
			f.finish()
		}
		if len(l.Diags) > before {
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
	g.given = append(g.given, f.given(false)...)
	l.set(&g.vars, l.object(f.expr("vars"), ctx))
	f.finish()
}

// given reads the arguments for how hosts are reached. Arguments that make sense for one
// host only are not allowed in a group.
func (f *fields) given(ofHost bool) given {
	var g given
	if ofHost {
		take(f, &g, "address", func(s *Settings) *string { return &s.Address })
		take(f, &g, "host_keys", func(s *Settings) *[]string { return &s.HostKeys })
	}
	if port, ok := take(f, &g, "port", func(s *Settings) *int { return &s.Port }); ok && (port < 1 || port > 65535) {
		f.refuse("port", "A port is a number from 1 to 65535.")
	}
	take(f, &g, "user", func(s *Settings) *string { return &s.User })
	choose := func(name string, kind Choice, setting func(*Settings) *string) {
		if value, ok := take(f, &g, name, setting); ok {
			f.refuse(name, kind.Problem(value))
		}
	}
	choose("transport", Transports(), func(s *Settings) *string { return &s.Transport })
	choose("os", Systems(), func(s *Settings) *string { return &s.OS })
	choose("auth", Logins(), func(s *Settings) *string { return &s.Auth })
	take(f, &g, "via", func(s *Settings) *string { return &s.Via })
	take(f, &g, "password", func(s *Settings) *secret.Value { return &s.Password })
	choose("become_method", BecomeMethods(), func(s *Settings) *string { return &s.BecomeMethod })
	take(f, &g, "become_password", func(s *Settings) *secret.Value { return &s.BecomePassword })
	take(f, &g, "certificate", func(s *Settings) *string { return &s.Certificate })
	var limit string
	if f.decode("connect_timeout", &limit) {
		timeout, problem := ConnectTimeout(limit)
		f.refuse("connect_timeout", problem)
		g = append(g, func(s *Settings) { s.ConnectTimeout = timeout })
	}
	if pace, ok := take(f, &g, "pace", func(s *Settings) *float64 { return &s.Pace }); ok {
		f.refuse("pace", Pace(pace))
	}
	if expr := f.expr("become"); expr != nil {
		value, problems := bounds.Value(expr, f.ctx)
		f.Tell(diag.FromHCL(problems))
		if !problems.HasErrors() {
			user, problem := Become(value)
			f.refuse("become", problem)
			g = append(g, func(s *Settings) { s.Become = user })
		}
	}
	return f.keys(g)
}

// take adds an argument whose value is that of a setting.
func take[T any](f *fields, g *given, name string, setting func(*Settings) *T) (value T, ok bool) {
	if ok = f.decode(name, &value); ok {
		*g = append(*g, func(s *Settings) { *setting(s) = value })
	}
	return value, ok
}

// keys adds the paths of keys. Paths are relative to the inventory's folder.
func (f *fields) keys(g given) given {
	var one, known string
	var files []string
	several := f.decode("identity_files", &files)
	if f.decode("identity_file", &one) {
		files = append([]string{one}, files...)
	}
	if several || len(files) > 0 {
		files = lists.Map(files, f.path)
		g = append(g, func(s *Settings) { s.IdentityFiles = files })
	}
	if f.decode("known_hosts", &known) {
		known = f.path(known)
		g = append(g, func(s *Settings) { s.KnownHosts = known })
	}
	return g
}

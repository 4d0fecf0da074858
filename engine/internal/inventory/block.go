package inventory

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/spec"
	"kinit/engine/pace"
)

// fields decodes the arguments of one block.
type fields struct {
	*loader
	block *hclsyntax.Block
	ctx   *hcl.EvalContext
	used  []string
}

// expr returns an argument, or nil.
func (f *fields) expr(name string) hcl.Expression {
	f.used = append(f.used, name)
	if attr := f.block.Body.Attributes[name]; attr != nil {
		return attr.Expr
	}
	return nil
}

// decode puts an argument into target, and does not change target if it is absent.
func (f *fields) decode(name string, target any) bool {
	expr := f.expr(name)
	if expr == nil {
		return false
	}
	_, problems := expr.Value(f.ctx)
	if !problems.HasErrors() {
		problems = gohcl.DecodeExpression(expr, f.ctx, target)
	}
	f.diags = append(f.diags, diag.FromHCL(problems)...)
	return !problems.HasErrors()
}

// finish reports unexpected arguments and blocks.
func (f *fields) finish() {
	for _, name := range sortedNames(f.block.Body.Attributes) {
		known := false
		for _, used := range f.used {
			known = known || used == name
		}
		if !known {
			f.errorf(f.block.Body.Attributes[name].NameRange, "Unknown argument", "%s block has no argument %q.%s", f.article(), name, diag.Near(name, f.used))
		}
	}
	for _, b := range f.block.Body.Blocks {
		f.errorf(b.TypeRange, "Unknown block type", "%s block has no block inside.", f.article())
	}
}

// article returns the type of the block with its article.
func (f *fields) article() string {
	if strings.ContainsAny(f.block.Type[:1], "aeiou") {
		return "An " + f.block.Type
	}
	return "A " + f.block.Type
}

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

// ConnectTimeout parses a connect_timeout argument, or returns the problem.
func ConnectTimeout(text string) (limit time.Duration, problem string) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Sprintf("Give a duration such as \"30s\", not %q.", text)
	}
	return limit, ""
}

// Pace returns the problem of a pace argument, or "".
func Pace(value float64) (problem string) {
	if value >= pace.Ordinary && value <= pace.Most {
		return ""
	}
	return fmt.Sprintf("Give how many times slower than an ordinary machine the host is, from %v, which leaves limits of time as they are, to %v.", pace.Ordinary, pace.Most)
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

// Become returns the user that a become argument names, or the problem.
func Become(value cty.Value) (user, problem string) {
	if value.IsNull() {
		return "", ""
	}
	if value.Type() == cty.Bool {
		if value.True() {
			return "root", ""
		}
		return "", ""
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil {
		return "", "Give true to become root, or the name of a user."
	}
	return text.AsString(), ""
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

func (f *fields) path(file string) string {
	if len(file) > 1 && file[:2] == "~/" {
		return filepath.Join(f.src.Home, file[2:])
	}
	return f.src.files().Abs(spec.Join(spec.Folder(f.block.TypeRange.Filename), file))
}

// object evaluates an expression that must be an object, and finds the place of
// each value in it.
func (l *loader) object(expr hcl.Expression, ctx *hcl.EvalContext) source.Vars {
	if expr == nil {
		return nil
	}
	value, problems := bounds.Value(expr, ctx)
	l.diags = append(l.diags, diag.FromHCL(problems)...)
	if problems.HasErrors() || value.IsNull() {
		return nil
	}
	if t := value.Type(); !t.IsObjectType() && !t.IsMapType() {
		l.errorf(expr.Range(), "Invalid vars", "Give an object, as in: vars = { zone = \"a\" }")
		return nil
	}
	places := map[string]hcl.Range{}
	if object, ok := expr.(*hclsyntax.ObjectConsExpr); ok {
		for _, item := range object.Items {
			if key, problems := item.KeyExpr.Value(ctx); !problems.HasErrors() {
				places[key.AsString()] = item.ValueExpr.Range()
			}
		}
	}
	vars := source.Vars{}
	for name, v := range value.AsValueMap() {
		at, ok := places[name]
		if !ok {
			at = expr.Range()
		}
		vars[name] = source.Value{Value: v, At: at}
	}
	return vars
}

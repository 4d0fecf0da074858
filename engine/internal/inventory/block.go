package inventory

import (
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
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

// decode puts an argument into target, and leaves target alone when it is absent.
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

// finish tells of arguments and blocks that nothing asked for.
func (f *fields) finish() {
	for _, name := range sortedNames(f.block.Body.Attributes) {
		known := false
		for _, used := range f.used {
			known = known || used == name
		}
		if !known {
			f.errorf(f.block.Body.Attributes[name].NameRange, "Unknown argument", "A %s block has no argument %q.%s", f.block.Type, name, diag.Near(name, f.used))
		}
	}
	for _, b := range f.block.Body.Blocks {
		f.errorf(b.TypeRange, "Unknown block type", "A %s block has no block inside.", f.block.Type)
	}
}

// host reads a host block.
func (l *loader) host(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	name := b.Labels[0]
	if first := l.inv.Host(name); first != nil {
		l.errorf(b.DefRange(), "Duplicate host", "Host %q is declared already, at %s.", name, first.Range)
		return
	}
	f := &fields{loader: l, block: b, ctx: ctx}
	h := &Host{Settings: Settings{Name: name, Address: name, Transport: SSH}, Range: b.DefRange()}
	if name == Localhost {
		h.Transport = Local
	}
	f.decode("address", &h.Address)
	f.port(h)
	f.decode("user", &h.User)
	f.transport(h)
	f.decode("via", &h.Via)
	f.become(h)
	f.keys(h)
	f.decode("password", &h.Password)
	l.own[h] = l.object(f.expr("vars"), ctx)
	f.finish()
	l.inv.Hosts = append(l.inv.Hosts, h)
}

func (f *fields) port(h *Host) {
	if f.decode("port", &h.Port) && (h.Port < 1 || h.Port > 65535) {
		f.errorf(f.expr("port").Range(), "Invalid port", "A port is a number from 1 to 65535.")
	}
}

func (f *fields) transport(h *Host) {
	if f.decode("transport", &h.Transport) && h.Transport != SSH && h.Transport != WinRM && h.Transport != Local {
		f.errorf(f.expr("transport").Range(), "Invalid transport", "A transport is %q, %q or %q.%s", SSH, WinRM, Local, diag.Near(h.Transport, []string{SSH, WinRM, Local}))
	}
}

// become reads the user to become: true is root.
func (f *fields) become(h *Host) {
	expr := f.expr("become")
	if expr == nil {
		return
	}
	value, problems := expr.Value(f.ctx)
	f.diags = append(f.diags, diag.FromHCL(problems)...)
	if problems.HasErrors() {
		return
	}
	user, err := Become(value)
	if err != "" {
		f.errorf(expr.Range(), "Invalid become", "%s", err)
	}
	h.Become = user
}

// Become is the user that a become argument names, or what is wrong with it.
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

// keys reads where keys are. Paths are relative to the inventory's folder.
func (f *fields) keys(h *Host) {
	var one string
	if f.decode("identity_file", &one) {
		h.IdentityFiles = append(h.IdentityFiles, one)
	}
	var more []string
	f.decode("identity_files", &more)
	h.IdentityFiles = append(h.IdentityFiles, more...)
	for i, file := range h.IdentityFiles {
		h.IdentityFiles[i] = f.path(file)
	}
	if f.decode("known_hosts", &h.KnownHosts) {
		h.KnownHosts = f.path(h.KnownHosts)
	}
	f.decode("host_keys", &h.HostKeys)
}

func (f *fields) path(file string) string {
	if len(file) > 1 && file[:2] == "~/" {
		return filepath.Join(f.src.Home, file[2:])
	}
	return f.src.files().Abs(spec.Join(spec.Folder(f.block.TypeRange.Filename), file))
}

// group reads a group block. A group in several files has the members of all.
func (l *loader) group(b *hclsyntax.Block, ctx *hcl.EvalContext) {
	f := &fields{loader: l, block: b, ctx: ctx}
	g := l.inv.group(b.Labels[0])
	if g == nil {
		g = &Group{Name: b.Labels[0], Vars: map[string]cty.Value{}, Range: b.DefRange()}
		l.inv.Groups = append(l.inv.Groups, g)
	}
	var hosts, groups []string
	f.decode("hosts", &hosts)
	f.decode("groups", &groups)
	g.Hosts, g.Groups = append(g.Hosts, hosts...), append(g.Groups, groups...)
	for key, value := range l.object(f.expr("vars"), ctx) {
		g.Vars[key] = value
	}
	f.finish()
}

// object evaluates an expression that must be an object.
func (l *loader) object(expr hcl.Expression, ctx *hcl.EvalContext) map[string]cty.Value {
	if expr == nil {
		return nil
	}
	value, problems := expr.Value(ctx)
	l.diags = append(l.diags, diag.FromHCL(problems)...)
	if problems.HasErrors() || value.IsNull() {
		return nil
	}
	if t := value.Type(); !t.IsObjectType() && !t.IsMapType() {
		l.errorf(expr.Range(), "Invalid vars", "Give an object, as in: vars = { zone = \"a\" }")
		return nil
	}
	return value.AsValueMap()
}

package engine

import (
	"context"
	"io/fs"
	"maps"
	"net"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/vault"
	"kinit/engine/lists"
	"kinit/engine/secret"
	"kinit/engine/trust"
)

// texts is what was read before anything is evaluated.
type texts struct {
	asRead    *spec.Spec
	inventory *inventory.Inventory
	hosts     []*inventory.Host // the selected ones
}

// load reads the spec, its playbook and the inventories, and selects the hosts.
func load(ctx context.Context, o Options) (texts, diag.List) {
	s, diags := spec.Load(sources(o), o.Spec)
	if !diags.HasErrors() {
		diags = append(diags, s.Set(o.Set)...)
	}
	if !spec.Read(diags) {
		return texts{asRead: s}, diags
	}
	from := inventorySources(o)
	inv, more := inventory.Load(ctx, from, o.Inventories)
	o.Redactor.Add(inv.Secrets()...)
	if diags = append(diags, more...); more.HasErrors() {
		return texts{asRead: s, inventory: inv}, diags
	}
	inv.Reserve(o.Reserved)
	hosts, more := inv.Select(ctx, from, o.Hosts)
	hosts = slices.DeleteFunc(slices.Clone(hosts), func(h *inventory.Host) bool { return slices.Contains(o.Lost, h.Name) })
	return texts{s, inv, hosts}, append(diags, more...)
}

func sources(o Options) spec.Sources {
	return spec.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Builtin, Text: o.Text, Trust: trust.From(o.Environ)}
}

func (t texts) files() map[string]*hcl.File {
	all := map[string]*hcl.File{}
	if t.asRead != nil {
		maps.Copy(all, t.asRead.Sources)
	}
	if t.inventory != nil {
		maps.Copy(all, t.inventory.Sources)
	}
	return all
}

// Ships reports whether the spec of the options is the name of one inside the program, which a file of that name does
// not replace.
func Ships(o Options) bool { return o.Text == "" && spec.Ships(sources(o), o.Spec) }

// withDefaults sets the options that the caller did not set.
func withDefaults(o Options) Options {
	if o.Forks <= 0 {
		o.Forks = DefaultForks
	}
	if o.Events == nil {
		o.Events = event.Discard{}
	}
	if o.Redactor == nil {
		o.Redactor = &secret.Redactor{}
	}
	o.Redactor.Add(o.Passwords.Login.Reveal(), o.Passwords.Become.Reveal())
	return o
}

func names(hosts []*inventory.Host) []string {
	return lists.Map(hosts, func(h *inventory.Host) string { return h.Name })
}

// inventorySources returns the places of inventories, and the lookup for names that no
// inventory contains.
func inventorySources(o Options) inventory.Sources {
	return inventory.Sources{Cwd: o.Cwd, Home: o.Home, Builtin: o.Inventory, Environ: o.Environ, Resolves: resolves, Vault: vault.New(o.Vault)}
}

// resolves reports whether a name that no inventory contains has an address.
func resolves(ctx context.Context, name string) bool {
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	return err == nil && len(addresses) > 0
}

// Driver is a way to create the nodes of a cluster.
type Driver struct {
	Name    string
	Summary string
}

// Drivers lists the drivers whose playbooks are folders of a file system, by name.
func Drivers(fsys fs.FS, folder string) ([]Driver, error) {
	found, err := spec.DriversIn(fsys, folder)
	if err != nil {
		return nil, err
	}
	return lists.Map(found, func(d *spec.Driver) Driver { return Driver{Name: d.Name, Summary: d.Summary} }), nil
}

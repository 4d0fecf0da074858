package inventory

import (
	"context"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/ansible"
	"kinit/engine/internal/inventory/source"
)

// Load reads and merges inventories: files, scripts, and folders with both. What
// could be read is returned beside the diagnostics. It waits for scripts, until ctx
// ends.
func Load(ctx context.Context, src Sources, paths []string) (*Inventory, diag.List) {
	l := &loader{
		ctx: ctx, src: src, named: map[string]bool{},
		inv: &Inventory{
			Vars: map[string]cty.Value{}, Sources: map[string]*hcl.File{},
			all: Group{Name: source.All}, ungrouped: Group{Name: source.Ungrouped},
			hosts: map[string]*Host{}, groups: map[string]*Group{},
		},
	}
	for _, given := range paths {
		l.read(given)
	}
	l.addMembers()
	l.readFolders()
	if !l.cyclicGroups() {
		l.inherit()
		l.addJumps()
	}
	l.checkVia()
	if l.diags.HasErrors() {
		for _, text := range l.inv.Sources {
			l.inv.loose = append(l.inv.loose, looseSecrets(text.Bytes)...)
		}
	} else {
		l.reportTemplates()
	}
	l.diags.Sort()
	return l.inv, l.diags
}

// readFolders reads group_vars and host_vars beside Ansible's inventories.
func (l *loader) readFolders() {
	groups := append(l.inv.GroupNames(), source.All, source.Ungrouped)
	hosts := l.inv.HostNames()
	for _, folder := range l.folders {
		read := ansible.ReadFolder(l.src.Cwd, folder, groups, hosts)
		l.diags = append(l.diags, read.Diags...)
		for _, text := range read.Texts {
			l.inv.Sources[text.Name] = text.File()
		}
		for name, vars := range read.Groups {
			l.set(&l.inv.group(name).folder, vars)
		}
		for name, vars := range read.Hosts {
			l.set(&l.inv.Host(name).folder, vars)
		}
	}
}

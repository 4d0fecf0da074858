package inventory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	if l.Diags.HasErrors() {
		for _, text := range l.inv.Sources {
			l.inv.loose = append(l.inv.loose, looseSecrets(text.Bytes)...)
		}
	} else {
		l.reportTemplates()
	}
	for name, text := range l.inv.Sources {
		shown := *text
		shown.Bytes = withoutSecrets(name, text.Bytes)
		l.inv.Sources[name] = &shown
	}
	l.Diags.Sort()
	return l.inv, l.Diags
}

// readFolders reads group_vars and host_vars beside Ansible's inventories.
func (l *loader) readFolders() {
	groups := append(l.inv.GroupNames(), source.All, source.Ungrouped)
	hosts := l.inv.HostNames()
	for _, folder := range l.folders {
		files := ansible.Files{
			Abs:     l.src.files().Abs,
			Decrypt: l.decrypt, Check: func(name string) error { return l.src.files().Beside(name, folder.named) },
		}
		read := ansible.ReadFolder(files, folder.path, groups, hosts)
		l.Tell(read.Diags)
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

// reportTemplates warns of variables with Jinja expressions, once a file.
func (l *loader) reportTemplates() {
	inFile := map[string][]source.Ref{}
	for _, ref := range l.templates {
		inFile[ref.At.Filename] = append(inFile[ref.At.Filename], ref)
	}
	for _, file := range slices.Sorted(maps.Keys(inFile)) {
		refs := inFile[file]
		slices.SortFunc(refs, func(a, b source.Ref) int {
			return cmp.Or(cmp.Compare(a.At.Start.Byte, b.At.Start.Byte), cmp.Compare(a.Name, b.Name))
		})
		l.Warnf(refs[0].At, "Jinja expression", "kinit does not evaluate Jinja expressions, so it leaves out what has one in this file: %s. An expression of a playbook that needs such a variable will fail.", listed(refs))
	}
}

// mostListed is how many names a message has at most.
const mostListed = 5

// listed is the names of variables, each once, and how many more there are.
func listed(refs []source.Ref) string {
	var names []string
	for _, ref := range refs {
		if !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	if more := len(names) - mostListed; more > 0 {
		names = append(names[:mostListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

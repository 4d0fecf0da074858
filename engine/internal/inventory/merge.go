package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory/ansible"
	"kinit/engine/internal/inventory/source"
)

// priorityVar is the variable of a group that says which of two groups of the same
// depth counts. Ansible reads it in inventories, not in group_vars.
const priorityVar = "ansible_group_priority"

// merge adds what one of Ansible's inventories says. What it says of a host or group
// that is there already counts more than what was said before.
func (l *loader) merge(doc *source.Document) {
	l.diags = append(l.diags, doc.Diags...)
	for _, from := range doc.Hosts {
		h := l.inv.Host(from.Name)
		if h == nil {
			h = &Host{Settings: Outside(from.Name), Range: from.At}
			l.inv.add(h)
		}
		l.set(&h.layer.vars, from.Vars)
	}
	for _, from := range doc.Groups {
		g := l.inv.groupNamed(from.Name, from.At)
		for _, host := range from.Hosts {
			l.member(g, host)
		}
		for _, inner := range from.Children {
			if inner.Name != source.Ungrouped {
				l.nest(g, inner)
			}
		}
		if priority, ok := from.Vars[priorityVar]; ok {
			l.priority(g, priority)
			delete(from.Vars, priorityVar)
		}
		l.set(&g.vars, from.Vars)
	}
}

// set overlays variables with those of a later place.
func (l *loader) set(into *source.Vars, vars source.Vars) {
	if *into == nil {
		*into = source.Vars{}
	}
	maps.Copy(*into, vars)
	for name, v := range vars {
		if v.Unread == source.Jinja {
			l.templates = append(l.templates, source.Ref{Name: name, At: v.At})
		}
	}
}

func (l *loader) priority(g *Group, v source.Value) {
	n, ok := wholeNumber(v.Value)
	if !ok {
		l.errorf(v.At, "Invalid priority", "%s of the group %q must be a whole number.", priorityVar, g.Name)
		return
	}
	g.priority = n
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
		l.warnf(refs[0].At, "Jinja expression", "kinit does not evaluate Jinja expressions, so it leaves out what has one in this file: %s. An expression of a playbook that needs such a variable will fail.", listed(refs))
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

// wholeNumber is a number, or a text with one.
func wholeNumber(value cty.Value) (int, bool) {
	text, ok := scalarText(value)
	var n int
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &n); !ok || err != nil {
		return 0, false
	}
	return n, true
}

// at is a place that may be nowhere.
func at(r hcl.Range) *hcl.Range {
	if r.Filename == "" {
		return nil
	}
	return &r
}

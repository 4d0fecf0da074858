package inventory

import "kinit/engine/internal/inventory/source"

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

func (l *loader) priority(g *Group, v source.Value) {
	n, ok := wholeNumber(v.Value)
	if !ok {
		l.errorf(v.At, "Invalid priority", "%s of the group %q must be a whole number.", priorityVar, g.Name)
		return
	}
	g.priority = n
}

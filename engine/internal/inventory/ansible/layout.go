package ansible

import (
	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// groups reads a file whose top level is groups.
func groups(root *tree.Node, doc *source.Document, text *source.Text) *source.Document {
	switch {
	case root == nil && doc.Diags.HasErrors():
	case root == nil || root.Kind == tree.Null:
		doc.Warnf(text.Range(0, 0), "Empty inventory", "The file has no groups and no hosts.")
	case root.Kind != tree.Map:
		doc.Errorf(root.At, "Invalid inventory", `An inventory in YAML or JSON is a map of groups, as in "web: { hosts: { web1: } }"; this is %s.`, what(root))
	case root.Get("plugin") != nil:
		doc.Errorf(root.Pairs[0].At, "Inventory plug-in", "This file configures an inventory plug-in of Ansible, which kinit does not run. Give kinit what \"ansible-inventory --list\" prints of it, in a file that ends in .json.")
	default:
		for _, p := range root.Pairs {
			group(p, doc)
		}
	}
	return doc
}

// group reads one group, and those inside of it.
func group(p tree.Pair, doc *source.Document) {
	if !isName(p, "group", doc) {
		return
	}
	g := doc.Group(p.Key, p.At)
	if p.Node.Kind == tree.Null {
		return
	}
	if p.Node.Kind != tree.Map {
		doc.Errorf(p.Node.At, "Invalid group", "The group %q must be a map with hosts, vars or children; it is %s.", p.Key, what(p.Node))
		return
	}
	for _, part := range p.Node.Pairs {
		switch part.Key {
		case "hosts":
			members(part, p.Key, doc, func(p tree.Pair) { groupHost(p, g, doc) })
		case "vars":
			if isMap(part, p.Key, doc) {
				vars(part.Node, g.Vars)
			}
		case "children":
			members(part, p.Key, doc, func(p tree.Pair) {
				if isName(p, "group", doc) {
					child(g, p.Key, p.At, doc)
					group(p, doc)
				}
			})
		default:
			doc.Warnf(part.At, "Unknown key", "A group has hosts, vars and children; %q of the group %q does not count.%s",
				part.Key, p.Key, diag.Near(part.Key, []string{"hosts", "vars", "children"}))
		}
	}
}

// isName reports whether a key may be the name of a group or host.
func isName(p tree.Pair, what string, doc *source.Document) bool {
	if p.IsText && p.Key != "" {
		return true
	}
	doc.Errorf(p.At, "Invalid name", "The name of a %s is text. YAML takes this for another value; put it in quotes.", what)
	return false
}

// isMap reports whether a part of a group is a map, or nothing.
func isMap(part tree.Pair, group string, doc *source.Document) bool {
	if part.Node.Kind == tree.Map || part.Node.Kind == tree.Null {
		return true
	}
	example := map[string]string{"hosts": "hosts: { web1: }", "vars": "vars: { port: 80 }", "children": "children: { web: }"}[part.Key]
	doc.Errorf(part.Node.At, "Invalid group", "%s of the group %q must be a map, as in %q; it is %s.", part.Key, group, example, what(part.Node))
	return false
}

// members calls use for each name in a part of a group: all of a map, or the only one.
func members(part tree.Pair, group string, doc *source.Document, use func(p tree.Pair)) {
	if name, ok := part.Node.Text(); ok {
		use(tree.Pair{Key: name, IsText: true, At: part.Node.At, Node: &tree.Node{}})
	} else if isMap(part, group, doc) {
		for _, p := range part.Node.Pairs {
			use(p)
		}
	}
}

func groupHost(p tree.Pair, g *source.Group, doc *source.Document) {
	if !isName(p, "host", doc) {
		return
	}
	own := source.Vars{}
	switch p.Node.Kind {
	case tree.Map:
		vars(p.Node, own)
	case tree.Null:
	default:
		doc.Errorf(p.Node.At, "Invalid host", "The variables of the host %q must be a map; this is %s.", p.Key, what(p.Node))
		return
	}
	for _, name := range addHosts(doc, p.Key, p.At, own) {
		g.Hosts = append(g.Hosts, source.Ref{Name: name, At: p.At})
	}
}

func child(g *source.Group, name string, at hcl.Range, doc *source.Document) {
	doc.Group(name, at)
	g.Children = append(g.Children, source.Ref{Name: name, At: at})
}

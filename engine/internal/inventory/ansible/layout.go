package ansible

import (
	"fmt"

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

// what says what a node is.
func what(n *tree.Node) string {
	switch n.Kind {
	case tree.List:
		return "a list"
	case tree.Map:
		return "a map"
	case tree.Null:
		return "nothing"
	}
	return "a single value"
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
			groupHosts(part, g, doc)
		case "vars":
			if isMap(part, p.Key, doc) {
				vars(part.Node, g.Vars)
			}
		case "children":
			groupChildren(part, g, doc)
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

func groupHosts(part tree.Pair, g *source.Group, doc *source.Document) {
	if name, ok := part.Node.Text(); ok {
		groupHost(tree.Pair{Key: name, IsText: true, At: part.Node.At, Node: &tree.Node{}}, g, doc)
		return
	}
	if !isMap(part, g.Name, doc) {
		return
	}
	for _, p := range part.Node.Pairs {
		groupHost(p, g, doc)
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

func groupChildren(part tree.Pair, g *source.Group, doc *source.Document) {
	if name, ok := part.Node.Text(); ok {
		child(g, name, part.Node.At, doc)
		return
	}
	if !isMap(part, g.Name, doc) {
		return
	}
	for _, p := range part.Node.Pairs {
		if isName(p, "group", doc) {
			child(g, p.Key, p.At, doc)
			group(p, doc)
		}
	}
}

func child(g *source.Group, name string, at hcl.Range, doc *source.Document) {
	doc.Group(name, at)
	g.Children = append(g.Children, source.Ref{Name: name, At: at})
}

// meta is the key of a listing with the variables of the hosts.
const meta = "_meta"

// listing reads the layout of inventory scripts: groups with lists of hosts, and
// the variables of hosts in _meta.
func listing(root *tree.Node, doc *source.Document) *source.Document {
	if root == nil {
		return doc
	}
	if root.Kind != tree.Map {
		doc.Errorf(root.At, "Invalid inventory", "An inventory script prints a map of groups; this is %s.", what(root))
		return doc
	}
	for _, p := range root.Pairs {
		if p.Key != meta {
			listedGroup(p, doc)
		}
	}
	if data := root.Get(meta); data != nil {
		hostVars(data, doc)
	}
	return doc
}

func listedGroup(p tree.Pair, doc *source.Document) {
	g := doc.Group(p.Key, p.At)
	n := p.Node
	if n.Kind == tree.List {
		listedNames(n, "hosts", g.Name, doc, func(name string, at hcl.Range) { listedHost(g, name, at, doc) })
		return
	}
	if n.Kind != tree.Map {
		doc.Errorf(n.At, "Invalid group", "The group %q must be a list of hosts, or a map with hosts, vars or children; it is %s.", p.Key, what(n))
		return
	}
	hosts, own, children := n.Get("hosts"), n.Get("vars"), n.Get("children")
	if hosts == nil && own == nil && children == nil {
		if len(n.Pairs) > 0 { // an old layout: a host alone with its variables
			vars(n, doc.Host(p.Key, p.At).Vars)
			listedHost(g, p.Key, p.At, doc)
		}
		return
	}
	if hosts != nil {
		listedNames(hosts, "hosts", g.Name, doc, func(name string, at hcl.Range) { listedHost(g, name, at, doc) })
	}
	if own != nil && isMap(tree.Pair{Key: "vars", Node: own}, g.Name, doc) {
		vars(own, g.Vars)
	}
	if children != nil {
		listedNames(children, "children", g.Name, doc, func(name string, at hcl.Range) { child(g, name, at, doc) })
	}
}

func listedHost(g *source.Group, name string, at hcl.Range, doc *source.Document) {
	doc.Host(name, at)
	g.Hosts = append(g.Hosts, source.Ref{Name: name, At: at})
}

// listedNames calls use for each name in a list of a group.
func listedNames(n *tree.Node, key, group string, doc *source.Document, use func(name string, at hcl.Range)) {
	if n.Kind != tree.List {
		doc.Errorf(n.At, "Invalid group", "%s of the group %q must be a list of names; it is %s.", key, group, what(n))
		return
	}
	for _, item := range n.Items {
		name, ok := item.Text()
		if !ok || name == "" {
			doc.Errorf(item.At, "Invalid group", "%s of the group %q must be a list of names; this is no name.", key, group)
			continue
		}
		use(name, item.At)
	}
}

// hostVars reads the variables of hosts from _meta. Those of hosts that are in no
// group do not count, as with Ansible.
func hostVars(data *tree.Node, doc *source.Document) {
	all := data.Get("hostvars")
	if data.Kind != tree.Map || all != nil && all.Kind != tree.Map {
		doc.Errorf(data.At, "Invalid _meta", "_meta must be a map with hostvars, a map of hosts and their variables.")
		return
	}
	if all == nil {
		return
	}
	known := map[string]*source.Host{}
	for _, h := range doc.Hosts {
		known[h.Name] = h
	}
	for _, p := range all.Pairs {
		switch {
		case p.Node.Kind != tree.Map && p.Node.Kind != tree.Null:
			doc.Errorf(p.Node.At, "Invalid _meta", "%s", fmt.Sprintf("The variables of the host %q must be a map; this is %s.", p.Key, what(p.Node)))
		case known[p.Key] != nil:
			vars(p.Node, known[p.Key].Vars)
		}
	}
}

package ansible

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// meta is the key of a listing with the variables of the hosts.
const meta = "_meta"

// Listing reads what an inventory script prints for --list.
func Listing(text *source.Text) *source.Document {
	root, diags := tree.JSON(text)
	return listing(root, &source.Document{Collector: diag.Collector{Diags: diags}})
}

// isListing reports whether it is what a script prints: there are _meta data, or the
// hosts of a group are a list.
func isListing(root *tree.Node) bool {
	if root.Get(meta) != nil {
		return true
	}
	for _, p := range root.Pairs {
		hosts := p.Node.Get("hosts")
		if p.Node.Kind == tree.List || hosts != nil && hosts.Kind == tree.List {
			return true
		}
	}
	return false
}

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

// Package ansible reads Ansible's inventories as they are: INI files, YAML files,
// the JSON of inventory scripts, and the folders group_vars and host_vars.
//
// It follows Ansible's documentation and, where that is silent, what
// ansible-inventory of version 2.14 prints; docs/inventory.md tells the differences.
// What the variables mean for connections is not its business.
package ansible

import (
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// YAML reads an inventory in Ansible's YAML layout: groups with hosts, vars and
// children.
func YAML(text *source.Text) *source.Document {
	root, diags := tree.YAML(text)
	return groups(root, &source.Document{Diags: diags}, text)
}

// JSON reads a JSON file, which has the layout of YAML inventories, or that of what
// inventory scripts and ansible-inventory --list print.
func JSON(text *source.Text) *source.Document {
	root, diags := tree.JSON(text)
	doc := &source.Document{Diags: diags}
	if root != nil && isListing(root) {
		return listing(root, doc)
	}
	return groups(root, doc, text)
}

// Listing reads what an inventory script prints for --list.
func Listing(text *source.Text) *source.Document {
	root, diags := tree.JSON(text)
	return listing(root, &source.Document{Diags: diags})
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

// vars reads the variables of a map into others.
func vars(node *tree.Node, into source.Vars) {
	for _, p := range node.Pairs {
		value := p.Node.Value()
		if p.Node.Kind == tree.Null {
			value.At = p.At
		}
		into[p.Key] = value
	}
}

// Package ansible reads Ansible's inventories as they are: INI files, YAML files,
// the JSON of inventory scripts, and the folders group_vars and host_vars.
//
// It follows Ansible's documentation and, where that is silent, what
// ansible-inventory of version 2.14 prints; docs/inventory.md lists the differences. It does
// not interpret variables: package inventory makes settings of connections from them.
package ansible

import (
	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// YAML reads an inventory in Ansible's YAML layout: groups with hosts, vars and
// children.
func YAML(text *source.Text) *source.Document {
	root, diags := tree.YAML(text)
	return groups(root, &source.Document{Collector: diag.Collector{Diags: diags}}, text)
}

// JSON reads a JSON file, which has the layout of YAML inventories, or that of what
// inventory scripts and ansible-inventory --list print.
func JSON(text *source.Text) *source.Document {
	root, diags := tree.JSON(text)
	doc := &source.Document{Collector: diag.Collector{Diags: diags}}
	if root != nil && isListing(root) {
		return listing(root, doc)
	}
	return groups(root, doc, text)
}

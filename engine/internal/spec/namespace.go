package spec

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

func newNamespace(parent *Namespace, label string) *Namespace {
	n := &Namespace{Label: label, Parent: parent, Vars: map[string]hcl.Expression{}, Inputs: map[string]hcl.Expression{}}
	if parent != nil {
		n.path = parent.path + "import." + label + "."
	}
	return n
}

// around returns the innermost block around the import of the namespace, or nil.
func (n *Namespace) around() *Block {
	for ; n != nil; n = n.Parent {
		if n.Block != nil {
			return n.Block
		}
	}
	return nil
}

// Around returns the innermost block around the block, which may be around its import, or nil.
func (b *Block) Around() *Block {
	if b.Outer != nil {
		return b.Outer
	}
	return b.In.around()
}

// Around returns the innermost block around the task, which may be around its import, or nil.
func (t *Task) Around() *Block {
	if t.Block != nil {
		return t.Block
	}
	return t.In.around()
}

// Within reports whether the task is in a block, directly or in blocks and imports in it.
func (t *Task) Within(outer *Block) bool {
	for b := t.Around(); b != nil; b = b.Around() {
		if b == outer {
			return true
		}
	}
	return false
}

// Address converts an address in the namespace to one in the whole plan, such as
// import.shop.task.file.motd for task.file.motd.
func (n *Namespace) Address(inside string) string { return n.path + inside }

// Path returns the address of the import, such as import.shop.import.database; it is empty
// for the root.
func (n *Namespace) Path() string { return strings.TrimSuffix(n.path, ".") }

// Within reports whether the namespace is outer or inside of it.
func (n *Namespace) Within(outer *Namespace) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

// Named reports whether path is that of the namespace or of an outer one, with the keys of
// for_each or without them.
func (n *Namespace) Named(path string) bool {
	for ; n.Parent != nil; n = n.Parent {
		if n.Path() == path || n.plainPath() == path {
			return true
		}
	}
	return false
}

// plainPath returns the path without keys.
func (n *Namespace) plainPath() string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimPrefix(n.Parent.plainPath()+".import."+n.Label, ".")
}

// PlainAddress returns the task's address without the keys of imports.
func (t *Task) PlainAddress() string {
	return strings.TrimPrefix(t.In.plainPath()+"."+t.root()+"."+t.Module+"."+t.Name, ".")
}

// Namespaces lists all namespaces, each after the one that imports it.
func (s *Spec) Namespaces() []*Namespace {
	all := []*Namespace{s.Root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Imports...)
	}
	return all
}

// Address returns the task's address in the whole plan, such as task.file.motd or
// import.shop.handler.service.web.
func (t *Task) Address() string {
	return t.In.Address(t.root() + "." + t.Module + "." + t.Name)
}

// root returns the type of its block, with which references begin.
func (t *Task) root() string {
	if t.Handler {
		return "handler"
	}
	return "task"
}

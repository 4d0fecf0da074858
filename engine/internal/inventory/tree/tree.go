// Package tree reads YAML and JSON files as Ansible understands them, and keeps the
// place of everything. It does not interpret the parts of a file.
//
// YAML has version 1.1, as in Ansible: yes is true, 0644 is 420 and 1e3 is text. The package
// knows the tags !unsafe and !vault.
package tree

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
)

// Kind is what a node is.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Scalar
	List
	Map
)

// Node is a value of a file.
type Node struct {
	Kind   Kind
	At     hcl.Range
	Scalar cty.Value     // of a Scalar: text, a number or a bool; cty.NilVal when it is unread
	Unread source.Unread // why a Scalar has no value
	Secret bool          // a Scalar was encrypted
	Why    string        // why it was not decrypted, if it could have been
	Items  []*Node       // of a List
	Pairs  []Pair        // of a Map, in the order of the file, every key once

	index map[string]int // of the Pairs, by key
}

// Pair is a key of a map and its value.
type Pair struct {
	Key    string // as JSON writes it when it is no text
	IsText bool
	At     hcl.Range // of the key
	Node   *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if i, ok := n.index[key]; ok {
		return n.Pairs[i].Node
	}
	return nil
}

// set adds a pair, or replaces the one with its key.
func (n *Node) set(p Pair) {
	if i, ok := n.index[p.Key]; ok {
		n.Pairs[i] = p
		return
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[p.Key] = len(n.Pairs)
	n.Pairs = append(n.Pairs, p)
}

// Text returns the value of a text.
func (n *Node) Text() (text string, ok bool) {
	if n.Unread != source.Known {
		return "", false
	}
	return n.raw()
}

// Value is the node as the value of a variable. A list or map with a part that is
// not known is not known as a whole.
func (n *Node) Value() source.Value {
	value, unread := n.value()
	return source.Value{Value: value, Unread: unread, Secret: n.hasSecret(), Why: n.Why, At: n.At}
}

// hasSecret reports whether something in the node was encrypted.
func (n *Node) hasSecret() bool {
	return n.Secret || slices.ContainsFunc(n.Items, (*Node).hasSecret) ||
		slices.ContainsFunc(n.Pairs, func(p Pair) bool { return p.Node.hasSecret() })
}

func (n *Node) value() (cty.Value, source.Unread) {
	switch n.Kind {
	case Null:
		return cty.NullVal(cty.DynamicPseudoType), source.Known
	case List:
		items := make([]cty.Value, 0, len(n.Items))
		for _, item := range n.Items {
			value, unread := item.value()
			if unread != source.Known {
				return cty.NilVal, unread
			}
			items = append(items, value)
		}
		return cty.TupleVal(items), source.Known
	case Map:
		return n.object()
	}
	return n.Scalar, n.Unread
}

// unwrapped returns the text that Ansible Vault has encrypted in place of the map with one key in which JSON has it.
func (r *reader) unwrapped(m *Node) *Node {
	if len(m.Pairs) != 1 || m.Pairs[0].Key != "__ansible_vault" {
		return m
	}
	encrypted, is := m.Pairs[0].Node.raw()
	if !is {
		return m
	}
	return r.encrypted(encrypted, m.At)
}

// encrypted is a value of Ansible Vault. It is a text, as in Ansible.
func (r *reader) encrypted(encrypted string, at hcl.Range) *Node {
	plain, unread := r.text.Decrypted(encrypted, at)
	if unread.Unread != "" {
		return &Node{Kind: Scalar, At: unread.At, Unread: unread.Unread, Why: unread.Why}
	}
	node := text(plain, at)
	node.Secret = true
	return node
}

// object is the value of a map. The output of ansible-inventory wraps texts that
// are unsafe or encrypted in a map with one key.
func (n *Node) object() (cty.Value, source.Unread) {
	if len(n.Pairs) == 1 {
		switch n.Pairs[0].Key {
		case "__ansible_vault":
			return cty.NilVal, source.Vault
		case "__ansible_unsafe":
			if text, ok := n.Pairs[0].Node.raw(); ok {
				return cty.StringVal(text), source.Known
			}
		}
	}
	attributes := make(map[string]cty.Value, len(n.Pairs))
	for _, p := range n.Pairs {
		value, unread := p.Node.value()
		if unread != source.Known {
			return cty.NilVal, unread
		}
		attributes[p.Key] = value
	}
	return cty.ObjectVal(attributes), source.Known
}

// raw is a text, also one with a Jinja expression.
func (n *Node) raw() (string, bool) {
	if n.Kind != Scalar || n.Scalar == cty.NilVal || n.Scalar.Type() != cty.String {
		return "", false
	}
	return n.Scalar.AsString(), true
}

func text(s string, at hcl.Range) *Node {
	n := &Node{Kind: Scalar, At: at, Scalar: cty.StringVal(s)}
	if IsTemplate(s) {
		n.Unread = source.Jinja
	}
	return n
}

// IsTemplate reports whether a text has a Jinja expression or statement in it.
func IsTemplate(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%")
}

// reader is the state of reading one file.
type reader struct {
	text *source.Text
	diag.Collector
}

// put adds a pair to a map. A key that is there already is told of; its last value
// counts.
func (r *reader) put(n *Node, p Pair) {
	if i, ok := n.index[p.Key]; ok {
		r.Warnf(p.At, "Duplicate key", "The key %q is here a second time; the first, in line %d, does not count.", p.Key, n.Pairs[i].At.Start.Line)
	}
	n.set(p)
}

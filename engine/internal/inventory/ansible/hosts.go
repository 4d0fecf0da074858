package ansible

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/pattern"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// addHosts adds the hosts that a name with a range or a port means, with variables
// of their own. It returns their names.
func addHosts(doc *source.Document, text string, at hcl.Range, vars source.Vars) []string {
	name, port, err := pattern.SplitPort(text)
	var names []string
	if err == nil {
		names, err = pattern.Expand(name)
	}
	if err != nil {
		doc.Errorf(within(at, text, err), "Invalid host", "%s", err)
		return nil
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" {
			doc.Errorf(at, "Invalid host", "The name of a host is empty.")
			return nil
		}
		h := doc.Host(name, at)
		if port != 0 {
			h.Vars["ansible_port"] = source.Value{Value: cty.NumberIntVal(int64(port)), At: at}
		}
		for name, value := range vars {
			h.Vars[name] = value
		}
	}
	return names
}

// within is the part of a name's place that an error is about. When the name was
// quoted it is all of it.
func within(at hcl.Range, text string, err error) hcl.Range {
	var part *pattern.Error
	if !errors.As(err, &part) || at.End.Byte-at.Start.Byte != len(text) || at.End.Column-at.Start.Column != len(text) {
		return at
	}
	move := func(p hcl.Pos, n int) hcl.Pos {
		return hcl.Pos{Line: p.Line, Column: p.Column + n, Byte: p.Byte + n}
	}
	return hcl.Range{Filename: at.Filename, Start: move(at.Start, part.From), End: move(at.Start, part.To)}
}

func vars(node *tree.Node, into source.Vars) {
	for _, p := range node.Pairs {
		value := p.Node.Value()
		if p.Node.Kind == tree.Null {
			value.At = p.At
		}
		into[p.Key] = value
	}
}

// object is the map that a file of variables has, or nil.
func object(root *tree.Node, problems diag.List, told *diag.Collector) *tree.Node {
	told.Tell(problems)
	if root == nil || root.Kind == tree.Null {
		return nil
	}
	if root.Kind != tree.Map {
		told.Errorf(root.At, "Invalid variables", "Variables are a map, as in \"port: 80\"; this is %s.", what(root))
		return nil
	}
	return root
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

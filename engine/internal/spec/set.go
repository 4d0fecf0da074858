package spec

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// SetOption is the option of the command line that changes arguments of the cluster. It is
// the name of the file in the places of its diagnostics.
const SetOption = "--set"

// Set changes arguments of the spec's cluster. A setting is PATH=VALUE, as in
// "pool.compute.memory=8GiB": the cluster, its network, a pool, a node or a pod, and the
// name of an argument. Pods are meant by their names alone, too. The value is text, or an HCL expression without names if it
// begins with [ or {, or is null. Later settings have priority. The spec's own files stay
// as they are; s gets a cluster of its own.
func (s *Spec) Set(settings []string) diag.List {
	if len(settings) == 0 {
		return nil
	}
	text := strings.Join(settings, "\n")
	s.Sources[SetOption] = &hcl.File{Bytes: []byte(text)}
	if s.Cluster == nil {
		at := settingRange(settings, 0, 0, len(settings[0]))
		return diag.Errorf(&at, "No cluster", "Only the arguments of a cluster can be set, and %s has none.", s.Path)
	}
	c := *s.Cluster
	c.Body = cloneBody(c.Body)
	s.Cluster = &c
	var diags diag.List
	for i := range settings {
		diags = append(diags, c.set(settings, i)...)
	}
	return diags
}

// settingRange is the place of the bytes from start to end of a setting.
func settingRange(settings []string, i, start, end int) hcl.Range {
	before := i // the line feeds
	for _, earlier := range settings[:i] {
		before += len(earlier)
	}
	at := func(n int) hcl.Pos { return hcl.Pos{Line: 1 + i, Column: 1 + n, Byte: before + n} }
	return hcl.Range{Filename: SetOption, Start: at(start), End: at(end)}
}

// set changes one argument.
func (c *Cluster) set(settings []string, i int) diag.List {
	path, value, ok := strings.Cut(settings[i], "=")
	place := func(start, end int) *hcl.Range {
		r := settingRange(settings, i, start, end)
		return &r
	}
	words := strings.Split(path, ".")
	if !ok || slices.Contains(words, "") || len(words) < 2 {
		return diag.Errorf(place(0, len(settings[i])), "Invalid setting", "A setting is PATH=VALUE, as in pool.compute.memory=8GiB.")
	}
	body, rest, problem := c.body(words, *place(0, len(path)))
	if problem != nil {
		return problem
	}
	from := len(path) - len(strings.Join(rest, "."))
	expr, problem := settingValue(value, *place(len(path)+1, len(settings[i])))
	if problem != nil {
		return problem
	}
	if body == nil {
		c.Name, c.NameRange = value, expr.Range()
		return nil
	}
	if len(rest) == 2 && rest[0] == "vars" {
		expr = withVar(body.Attributes["vars"], rest[1], expr)
		rest = rest[:1]
	}
	if len(rest) != 1 {
		return diag.Errorf(place(from, len(path)), "Invalid setting", "%s is no argument. Only vars have names below them, as in %s.vars.zone=a.", strings.Join(rest, "."), strings.Join(words[:len(words)-len(rest)], "."))
	}
	body.Attributes[rest[0]] = &hclsyntax.Attribute{
		Name: rest[0], Expr: expr,
		SrcRange: *place(0, len(settings[i])), NameRange: *place(from, len(path)), EqualsRange: *place(len(path), len(path)+1),
	}
	return nil
}

// body finds the block that a path leads to, and what of the path names its argument. It is
// nil for the cluster's name, which is a label.
func (c *Cluster) body(words []string, at hcl.Range) (*hclsyntax.Body, []string, diag.List) {
	if len(words) == 2 && slices.Contains(c.labels("pod"), words[0]) {
		words = append([]string{"pod"}, words...)
	}
	switch words[0] {
	case "cluster":
		if len(words) == 2 && words[1] == "name" {
			return nil, nil, nil
		}
		return c.Body, words[1:], nil
	case "network":
		if b := c.find("network"); b != nil {
			return b, words[1:], nil
		}
		return c.block(at, "network"), words[1:], nil
	case "pool", "node", "pod":
		return c.labelled(words, at)
	}
	roots := slices.Concat([]string{"cluster", "network", "node", "pod", "pool"}, c.labels("pod"))
	return nil, nil, diag.Errorf(&at, "Invalid setting", "%q is nothing that can be set.%s A path begins with %s.", words[0], diag.Near(words[0], roots), strings.Join(roots, ", "))
}

// labelled finds the block of a pool, a node or a pod. Nodes may have none: which there
// are is known later.
func (c *Cluster) labelled(words []string, at hcl.Range) (*hclsyntax.Body, []string, diag.List) {
	kind := words[0]
	if len(words) < 3 {
		return nil, nil, diag.Errorf(&at, "Invalid setting", "A %s has a name and arguments, as in %s.NAME.hypervisor=NAME.", kind, kind)
	}
	name, arguments := words[1], words[2:]
	if b := c.find(kind, name); b != nil {
		return b, arguments, nil
	}
	if kind == "node" {
		return c.block(at, kind, name), arguments, nil
	}
	names := c.labels(kind)
	return nil, nil, diag.Errorf(&at, "Unknown "+kind, "The cluster has no %s %q.%s It has %s.", kind, name, diag.Near(name, names), cmp.Or(strings.Join(names, ", "), "none"))
}

// find returns the body of the first block of a kind with the labels, or nil.
func (c *Cluster) find(kind string, labels ...string) *hclsyntax.Body {
	for _, b := range c.Body.Blocks {
		if b.Type == kind && slices.Equal(b.Labels, labels) {
			return b.Body
		}
	}
	return nil
}

// labels lists the first labels of all blocks of a kind.
func (c *Cluster) labels(kind string) []string {
	var all []string
	for _, b := range c.Body.Blocks {
		if b.Type == kind && len(b.Labels) > 0 {
			all = append(all, b.Labels[0])
		}
	}
	return all
}

func (c *Cluster) block(at hcl.Range, kind string, labels ...string) *hclsyntax.Body {
	b := &hclsyntax.Block{
		Type: kind, Labels: labels, TypeRange: at, OpenBraceRange: at, CloseBraceRange: at,
		Body: &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: at, EndRange: at},
	}
	for range labels {
		b.LabelRanges = append(b.LabelRanges, at)
	}
	c.Body.Blocks = append(c.Body.Blocks, b)
	return b.Body
}

func settingValue(text string, at hcl.Range) (hclsyntax.Expression, diag.List) {
	if text != "null" && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return &hclsyntax.LiteralValueExpr{Val: cty.StringVal(text), SrcRange: at}, nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), at.Filename, at.Start)
	if diags.HasErrors() {
		return nil, diag.FromHCL(diags)
	}
	if names := expr.Variables(); len(names) > 0 {
		r := names[0].SourceRange()
		return nil, diag.Errorf(&r, "Invalid setting", "A value of the command line has no names in it. Texts in it have double quotes.")
	}
	return expr, nil
}

// withVar is an expression of vars in which one has another value.
func withVar(old *hclsyntax.Attribute, name string, value hclsyntax.Expression) hclsyntax.Expression {
	at := value.Range()
	literal := func(text string) hclsyntax.Expression {
		return &hclsyntax.LiteralValueExpr{Val: cty.StringVal(text), SrcRange: at}
	}
	added := &hclsyntax.ObjectConsExpr{
		Items: []hclsyntax.ObjectConsItem{{KeyExpr: literal(name), ValueExpr: value}}, SrcRange: at, OpenRange: at,
	}
	if old == nil {
		return added
	}
	return &hclsyntax.FunctionCallExpr{
		Name: "merge", Args: []hclsyntax.Expression{old.Expr, added},
		NameRange: at, OpenParenRange: at, CloseParenRange: at,
	}
}

// cloneBody copies a body and its blocks. Expressions are shared.
func cloneBody(b *hclsyntax.Body) *hclsyntax.Body {
	c := *b
	c.Attributes = maps.Clone(b.Attributes)
	c.Blocks = nil
	for _, inner := range b.Blocks {
		clone := *inner
		clone.Body = cloneBody(inner.Body)
		c.Blocks = append(c.Blocks, &clone)
	}
	return &c
}

// Renamed returns the spec with another name for its cluster.
func (s *Spec) Renamed(cluster string) *Spec {
	changed, c := *s, *s.Cluster
	c.Name, changed.Cluster = cluster, &c
	return &changed
}

package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/lists"
)

// arguments are the attributes of a block by name; an absent one is nil.
type arguments map[string]hcl.Expression

// content splits a block into its arguments and its inner blocks, and reports unexpected
// and missing ones. Names of required arguments end with "!".
func (l *loader) content(b *hclsyntax.Block, names, inner []string) (arguments, hclsyntax.Blocks) {
	args := arguments{}
	known := lists.Map(names, func(name string) string { return strings.TrimSuffix(name, "!") })
	for i, name := range known {
		attr, ok := b.Body.Attributes[name]
		if ok {
			args[name] = attr.Expr
		}
		typed := slices.Collect(maps.Keys(b.Body.Attributes)) // a typing error is reported below
		if names[i] != name && !ok && !diag.Mistyped(name, known, typed) {
			l.Errorf(b.DefRange(), "Missing argument", "%s block needs the argument %q.", Article(b.Type), name)
		}
	}
	for _, attr := range sorted(b.Body.Attributes) {
		if args[attr.Name] == nil {
			l.Errorf(attr.NameRange, "Unknown argument", "%s block has no argument %q.%s", Article(b.Type), attr.Name, diag.Hint(attr.Name, known))
		}
	}
	var blocks hclsyntax.Blocks
	for _, block := range b.Body.Blocks {
		if !slices.Contains(inner, block.Type) {
			l.Errorf(block.TypeRange, "Unknown block type", "%s block has no block %q.%s", Article(b.Type), block.Type, diag.Hint(block.Type, inner))
			continue
		}
		if len(block.Labels) > 0 {
			l.Errorf(block.DefRange(), "Wrong labels", "%s block has no label.", Article(block.Type))
			continue
		}
		blocks = append(blocks, block)
	}
	return args, blocks
}

// literal decodes an expression that refers to nothing, and calls no function but fold, into target. It does not change target
// if the expression is absent.
func (l *loader) literal(expr hcl.Expression, target any) bool {
	if expr == nil {
		return false
	}
	_, problems := expr.Value(literalScope)
	if !problems.HasErrors() {
		problems = gohcl.DecodeExpression(expr, literalScope, target)
	}
	for i, p := range problems {
		const early = "This is read before anything has a value, so it must be written out"
		switch p.Summary {
		case "Variables not allowed":
			problems[i] = &hcl.Diagnostic{Severity: p.Severity, Subject: p.Subject, Summary: "Invalid reference", Detail: early + " and cannot refer to anything."}
		case "Call to unknown function":
			problems[i] = &hcl.Diagnostic{Severity: p.Severity, Subject: p.Subject, Summary: "Invalid call", Detail: early + ". The only function here is fold."}
		}
	}
	l.Tell(diag.FromHCL(problems))
	return !problems.HasErrors()
}

// Article returns a word with its article, for the beginning of a sentence.
func Article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "An " + word
	}
	return "A " + word
}

// sorted lists attributes in the order of the file.
func sorted(attrs hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(attrs), func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// blockType is one kind of block at the top of a file.
type blockType struct {
	labels  []string // the meaning of each label; an optional one ends with "?"
	example string
	root    string // with which the address begins that its only label takes; "" if read takes one
	read    func(l *loader, b *hclsyntax.Block)
}

// admitted reports whether a block has the right labels, all of them names that expressions
// can use, and takes its address.
func (l *loader) admitted(b *hclsyntax.Block, t blockType) bool {
	optional := len(t.labels) > 0 && strings.HasSuffix(t.labels[len(t.labels)-1], "?")
	if len(b.Labels) != len(t.labels) && !(optional && len(b.Labels) == len(t.labels)-1) {
		l.Errorf(b.DefRange(), "Wrong labels", "%s block has %s, as in: %s", Article(b.Type), wants(t.labels), t.example)
		return false
	}
	for i, label := range b.Labels {
		if !hclsyntax.ValidIdentifier(label) && b.Type != "spec" {
			what, advice := strings.TrimSuffix(t.labels[i], "?"), ""
			if what == "module" {
				advice = diag.HintModule(label, nil)
			}
			l.Errorf(b.LabelRanges[i], "Invalid name", "The %s of %s block starts with a letter and has letters, digits, _ and - only.%s", what, strings.ToLower(Article(b.Type)), advice)
			return false
		}
	}
	return t.root == "" || l.claim(b.Type, t.root+"."+b.Labels[0], b.DefRange())
}

func wants(labels []string) string {
	switch len(labels) {
	case 0:
		return "no label"
	case 1:
		if name, optional := strings.CutSuffix(labels[0], "?"); optional {
			return "no label, or one, its " + name
		}
		return "one label, its " + labels[0]
	}
	return fmt.Sprintf("%d labels, %s", len(labels), strings.Join(labels, " and "))
}

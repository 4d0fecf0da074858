package spec

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// blockType is one kind of block at the top of a file.
type blockType struct {
	labels  []string // the meaning of each label; an optional one ends with "?"
	example string
	read    func(l *loader, b *hclsyntax.Block)
}

// labelled reports whether a block has the right labels, all of them names that expressions
// can use.
func (l *loader) labelled(b *hclsyntax.Block, t blockType) bool {
	optional := len(t.labels) > 0 && strings.HasSuffix(t.labels[len(t.labels)-1], "?")
	if len(b.Labels) != len(t.labels) && !(optional && len(b.Labels) == len(t.labels)-1) {
		l.errorf(b.DefRange(), "Wrong labels", "%s block has %s, as in: %s", article(b.Type), wants(t.labels), t.example)
		return false
	}
	for i, label := range b.Labels {
		if !hclsyntax.ValidIdentifier(label) && b.Type != "spec" {
			l.errorf(b.LabelRanges[i], "Invalid name", "The %s of %s block starts with a letter and has letters, digits, _ and - only.", strings.TrimSuffix(t.labels[i], "?"), strings.ToLower(article(b.Type)))
			return false
		}
	}
	return true
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

package draw

import (
	"fmt"
	"slices"
	"strings"
)

// Dot is a picture in the language of graphviz, groups as clusters.
func Dot(p *Picture) string {
	var out strings.Builder
	fmt.Fprintf(&out, "digraph %s {\n", dotText(p.Title))
	out.WriteString("  rankdir = LR\n  compound = true\n  node [shape = box, style = \"rounded\", fontname = \"monospace\", fontsize = 10]\n")
	out.WriteString("  edge [color = \"#555555\"]\n")
	for i, g := range p.Groups {
		indent := "  "
		if g.Name != "" {
			fmt.Fprintf(&out, "  subgraph cluster_%d {\n    label = %s\n    style = \"rounded\"\n    color = \"#999999\"\n", i, dotText(g.Name))
			indent = "    "
		}
		for n, b := range p.Boxes {
			if b.Group == i {
				out.WriteString(indent + dotBox(n, b))
			}
		}
		if g.Name != "" {
			out.WriteString("  }\n")
		}
	}
	for _, a := range p.Order {
		from, to := p.last(a.From), p.first(a.To)
		fmt.Fprintf(&out, "  n%d -> n%d [ltail = cluster_%d, lhead = cluster_%d, style = bold, color = \"#999999\"]\n", from, to, a.From, a.To)
	}
	for _, a := range p.Arrows {
		style := ""
		if a.Faint {
			style = " [style = dashed, color = \"#bbbbbb\", constraint = false]"
		}
		fmt.Fprintf(&out, "  n%d -> n%d%s\n", a.From, a.To, style)
	}
	out.WriteString("}\n")
	return out.String()
}

func dotBox(n int, b Box) string {
	style := ""
	if b.Faint {
		style = ", style = \"rounded,dashed\", fontcolor = \"#888888\""
	}
	return fmt.Sprintf("n%d [label = %s, tooltip = %s%s]\n", n, dotText(b.Label+"\n"+b.Note), dotText(b.Tip), style)
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// dotText is a quoted text of the language: only quotes and backslashes are special
// there, and a line end is \n.
func dotText(text string) string {
	return `"` + dotEscapes.Replace(text) + `"`
}

// first and last are boxes of a group for arrows between groups to hold on to.
func (p *Picture) first(group int) int {
	return slices.IndexFunc(p.Boxes, func(b Box) bool { return b.Group == group })
}

func (p *Picture) last(group int) int {
	for i := len(p.Boxes) - 1; i > 0; i-- {
		if p.Boxes[i].Group == group {
			return i
		}
	}
	return 0
}

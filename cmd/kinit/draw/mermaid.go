package draw

import (
	"fmt"
	"strings"
)

// Mermaid is a picture as a mermaid flowchart, groups as subgraphs.
func Mermaid(p *Picture) string {
	var out strings.Builder
	out.WriteString("flowchart LR\n  classDef faint stroke-dasharray: 4, color: #888\n")
	for i, g := range p.Groups {
		indent := "  "
		if g.Name != "" {
			fmt.Fprintf(&out, "  subgraph g%d[%s]\n", i, mermaidText(g.Name))
			indent = "    "
		}
		for n, b := range p.Boxes {
			if b.Group != i {
				continue
			}
			fmt.Fprintf(&out, "%sn%d[%s]", indent, n, mermaidText(b.Label+"\n"+b.Note))
			if b.Faint {
				out.WriteString(":::faint")
			}
			out.WriteByte('\n')
		}
		if g.Name != "" {
			out.WriteString("  end\n")
		}
	}
	for _, a := range p.Order {
		fmt.Fprintf(&out, "  g%d ==> g%d\n", a.From, a.To)
	}
	for _, a := range p.Arrows {
		arrow := "-->"
		if a.Faint {
			arrow = "-.->"
		}
		fmt.Fprintf(&out, "  n%d %s n%d\n", a.From, arrow, a.To)
	}
	return out.String()
}

var mermaidEntities = strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", "<br>")

// mermaidText is a quoted text of the language, which writes special characters as
// entities with # in front.
func mermaidText(text string) string {
	return `"` + mermaidEntities.Replace(text) + `"`
}

package draw

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// svgStyle follows the viewer's preference for light or dark.
const svgStyle = `
  :root { color-scheme: light dark }
  .paper { fill: #ffffff }
  text { font-family: ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace; font-size: 11.5px; fill: #1f2328 }
  .note { fill: #656d76; font-size: 10.5px }
  .name { font-weight: bold; font-size: 12.5px }
  .frame { fill: #f6f8fa; stroke: #d0d7de }
  .box { fill: #ffffff; stroke: #6e7781 }
  .faint .box { stroke-dasharray: 4 3 }
  .faint text { fill: #8c959f }
  .arrow { fill: none; stroke: #57606a; stroke-width: 1.2 }
  .weak { fill: none; stroke: #8c959f; stroke-width: 1; stroke-dasharray: 3 3; opacity: .45 }
  .order { fill: none; stroke: #8c959f; stroke-width: 2 }
  .head { fill: #57606a }
  .box:hover { stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #e6edf3 }
    .note { fill: #8d96a0 }
    .frame { fill: #161b22; stroke: #30363d }
    .box { fill: #0d1117; stroke: #8d96a0 }
    .faint text { fill: #6e7681 }
    .arrow { stroke: #8d96a0 }
    .head { fill: #8d96a0 }
  }
`

// head is the attribute that gives a path its arrow head.
const head = ` marker-end="url(#head)"`

// SVG is a picture as a document that needs nothing else.
func SVG(p *Picture) string {
	l := place(p)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`+"\n", l.w, l.h, l.w, l.h)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n", escaped(p.Title), svgStyle)
	out.WriteString(`<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>` + "\n")
	fmt.Fprintf(&out, `<rect class="paper" width="%.0f" height="%.0f"/>`+"\n", l.w, l.h)
	for _, a := range p.Order { // frames hide what would cross them
		out.WriteString(downwards("order", head, l.frames[a.From], l.frames[a.To]))
	}
	for i, g := range p.Groups {
		if g.Name != "" {
			svgFrame(&out, g, l.frames[i])
		}
	}
	for _, a := range p.Arrows {
		out.WriteString(svgArrow(p, l, a))
	}
	for i, b := range p.Boxes {
		svgBox(&out, b, l.boxes[i])
	}
	out.WriteString("</svg>\n")
	return out.String()
}

func svgFrame(out *strings.Builder, g Group, r rect) {
	fmt.Fprintf(out, `<rect class="frame" x="%.0f" y="%.0f" width="%.0f" height="%.0f" rx="8"/>`, r.x, r.y, r.w, r.h)
	fmt.Fprintf(out, `<text class="name" x="%.0f" y="%.0f">%s</text>`+"\n", r.x+framePad, r.y+frameHead-4, escaped(g.Name))
}

func svgBox(out *strings.Builder, b Box, r rect) {
	class := ""
	if b.Faint {
		class = ` class="faint"`
	}
	fmt.Fprintf(out, `<g%s><title>%s</title><rect class="box" x="%.0f" y="%.0f" width="%.0f" height="%.0f" rx="5"/>`, class, escaped(b.Tip), r.x, r.y, r.w, r.h)
	fmt.Fprintf(out, `<text x="%.0f" y="%.0f">%s</text>`, r.x+boxPadding, r.y+16, escaped(b.Label))
	fmt.Fprintf(out, `<text class="note" x="%.0f" y="%.0f">%s</text></g>`+"\n", r.x+boxPadding, r.y+30, escaped(b.Note))
}

// svgArrow goes from the right of a box to the left of another in its group, or
// else from the bottom to the top.
func svgArrow(p *Picture, l *layout, a Arrow) string {
	from, to := l.boxes[a.From], l.boxes[a.To]
	class, end := "arrow", head
	if a.Faint {
		class, end = "weak", ""
	}
	if p.Boxes[a.From].Group != p.Boxes[a.To].Group {
		return downwards(class, end, from, to)
	}
	x1, y1, x2, y2 := from.x+from.w, from.y+from.h/2, to.x, to.y+to.h/2
	bend := max(columnGap, (x2-x1)/2)
	return fmt.Sprintf(`<path class="%s"%s d="M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f"/>`+"\n", class, end, x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
}

func downwards(class, end string, from, to rect) string {
	x1, y1, x2, y2 := from.x+from.w/2, from.y+from.h, to.x+to.w/2, to.y
	if class == "order" { // frames differ in width; a straight line looks best
		x1, x2 = from.x+framePad*2, to.x+framePad*2
	}
	bend := max(frameGap/2, (y2-y1)/2)
	return fmt.Sprintf(`<path class="%s"%s d="M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f"/>`+"\n", class, end, x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a strings.Builder takes everything
	return out.String()
}

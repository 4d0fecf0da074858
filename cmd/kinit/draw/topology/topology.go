// Package topology draws a cluster as SVG: the hypervisors with their nodes and pods of services, and the
// overlay that connects them. The text of the picture is text, its colours follow the viewer's
// preference, and it needs no script, font or second file.
//
// layout.go places the parts, svg.go writes them, and words.go describes them for screen readers.
package topology

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"kinit/engine/event"
)

//go:embed topology.css
var style string

// Style is the style sheet of pictures, for pages that have Inline ones.
func Style() string { return style }

// SVG is a document with the picture of a topology. The same topology gives the same bytes.
func SVG(t *event.Topology) string { return draw(t, "<style>\n"+style+"</style>\n") }

// Inline is the picture as an element of a page that has Style in its style sheet.
func Inline(t *event.Topology) string { return draw(t, "") }

func draw(t *event.Topology, style string) string {
	l := place(t)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" class="topology" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="topology-title topology-desc">`+"\n", l.w, l.h, l.w, l.h)
	fmt.Fprintf(&out, "<title id=\"topology-title\">%s</title>\n<desc id=\"topology-desc\">%s</desc>\n%s", escaped(title(t)), escaped(describe(t)), style)
	p := pen{&out}
	p.rect("paper", rect{0, 0, l.w, l.h}, 0)
	l.draw(p)
	_, _ = io.WriteString(&out, "</svg>\n") // a strings.Builder takes everything
	return out.String()
}

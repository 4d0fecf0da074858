package topology

import (
	"encoding/xml"
	"fmt"
	"strings"

	"kinit/cmd/kinit/view"
)

// pen writes elements. Coordinates are whole pixels, so that lines are sharp and text is the
// same on all machines.
type pen struct{ out *strings.Builder }

func (p pen) rect(class string, r rect, round int) {
	fmt.Fprintf(p.out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`+"\n", class, r.x, r.y, r.w, r.h, round)
}

func (p pen) text(class string, x, y int, text string) {
	fmt.Fprintf(p.out, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, escaped(text))
}

// right writes a text that ends at x.
func (p pen) right(class string, x, y int, text string) {
	fmt.Fprintf(p.out, `<text class="%s" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", class, x, y, escaped(text))
}

// line goes through points given as x and y.
func (p pen) line(class string, points ...int) {
	fmt.Fprintf(p.out, `<path class="%s" d="M%d %d`, class, points[0], points[1])
	for i := 2; i+1 < len(points); i += 2 {
		fmt.Fprintf(p.out, "L%d %d", points[i], points[i+1])
	}
	p.out.WriteString("\"/>\n")
}

func (p pen) dot(x, y int) {
	fmt.Fprintf(p.out, `<circle class="dot" cx="%d" cy="%d" r="4"/>`+"\n", x, y)
}

// arrow is a head that points down at x, y.
func (p pen) arrow(x, y int) {
	fmt.Fprintf(p.out, `<path class="arrow" d="M%d %dl-5 -9h10z"/>`+"\n", x, y)
}

// group begins a group of elements that a pointer over them explains.
func (p pen) group(tip string) { fmt.Fprintf(p.out, "<g><title>%s</title>\n", escaped(tip)) }

func (p pen) end() { p.out.WriteString("</g>\n") }

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(view.Clean(text))) // a strings.Builder takes everything
	return out.String()
}

// The sizes of fonts, in tenths of a pixel a character. They are those of wide fonts, such as DejaVu Sans.
const (
	ofTitle   = 138
	ofName    = 98
	ofRole    = 84
	ofText    = 80
	ofNote    = 73
	ofAddress = 76
)

// width is how many pixels a text takes at most, as far as that is known without its font.
func width(text string, size int) int { return (len([]rune(text))*size + 9) / 10 }

// fitting shortens a text in its middle, where names of one cluster are alike.
func fitting(text string, size, space int) string {
	letters := []rune(text)
	most := space * 10 / size
	if len(letters) <= most || most < 3 {
		return text
	}
	end := (most - 1) * 2 / 3
	return string(letters[:most-1-end]) + "…" + string(letters[len(letters)-end:])
}

package topology

import (
	"fmt"
	"slices"
	"strconv"

	"kinit/engine/event"
)

// The boxes of what connects from outside: kinit, and the clients of published ports.
const (
	callerWide = 132
	callerHigh = 48
)

func (l *layout) subtitle() string { return summary(l.topology) }

func (l *layout) bandHead() string { return "logical switch " + l.topology.Overlay.Switch }

func (l *layout) bandNote() string {
	text := "nodes " + l.topology.Network
	for _, n := range l.topology.Overlay.Networks {
		text += " · " + n.Name + " " + n.CIDR
	}
	return text + " · " + l.topology.Overlay.Tunnels + " tunnels"
}

func (l *layout) routerHead() string { return "logical router " + l.topology.Overlay.Router }

func (l *layout) routerNote() string {
	return "gateway " + l.topology.Gateway + " · NAT to " + l.topology.Overlay.Outside + " on the way out"
}

func (l *layout) routerWide() int {
	return 2*inset + max(width(l.routerHead(), ofName), width(l.routerNote(), ofNote))
}

// draw writes all elements, from the back to the front.
func (l *layout) draw(p pen) {
	p.text("title", margin, margin+20, l.topology.Cluster)
	p.text("note", margin, margin+42, l.subtitle())
	l.drawCallers(p)
	if len(l.rows) > 0 {
		p.text("note", margin, l.rows[0].network-7, "your network")
	}
	for i, r := range l.rows {
		p.line("wire", margin, r.network, l.w-margin, r.network)
		for _, f := range r.frames {
			f.draw(p, r)
		}
		if l.topology.Overlay != nil {
			l.drawBand(p, r.band)
		}
		for _, f := range r.frames {
			f.drawCards(p, r, l.topology)
		}
		if i > 0 {
			l.drawTrunks(p, l.rows[i-1], r)
		}
	}
	if l.topology.Overlay != nil {
		l.drawRouter(p)
	}
}

// drawCallers draws who comes from the network.
func (l *layout) drawCallers(p pen) {
	network := margin + callerHigh + 2*gap
	if len(l.rows) > 0 {
		network = l.rows[0].network
	}
	x := l.w - margin - callerWide
	if slices.ContainsFunc(l.topology.Pods, func(pod event.Pod) bool { return len(pod.Ports) > 0 }) {
		caller(p, x, "clients", "kubectl, browsers")
		p.line("publish", x+callerWide/2, margin+callerHigh, x+callerWide/2, network)
		x -= callerWide + gap
	}
	caller(p, x, "kinit", "your machine")
	p.line("reach", x+callerWide/2, margin+callerHigh, x+callerWide/2, network)
}

func caller(p pen, x int, name, note string) {
	p.rect("card", rect{x, margin, callerWide, callerHigh}, 7)
	p.text("name", x+12, margin+20, name)
	p.text("note", x+12, margin+38, note)
}

// draw draws a frame without its cards.
func (f *frame) draw(p pen, r row) {
	class := "frame"
	if f.machines {
		class = "machines"
	}
	p.line("reach", f.x+gap+12, r.network, f.x+gap+12, f.y)
	p.rect(class, f.rect, 10)
	p.text("name", f.x+gap, f.y+26, f.head)
	p.text("note", f.x+gap, f.y+47, f.note)
}

// drawCards draws the cards of a frame, and their wires.
func (f *frame) drawCards(p pen, r row, t *event.Topology) {
	top := map[int]int{} // of each wire
	for _, c := range f.cards {
		if at, ok := top[c.wire]; c.wire > 0 && (!ok || c.plug() < at) {
			top[c.wire] = c.plug()
		}
	}
	if r.band.h > 0 {
		for _, x := range slices.Sorted(func(yield func(int) bool) {
			for x := range top {
				if !yield(x) {
					return
				}
			}
		}) {
			p.line("link", x, top[x], x, r.band.y)
		}
	}
	for _, c := range f.cards {
		if c.pod != nil {
			c.drawPod(p, r)
		} else {
			c.drawNode(p, max(0, slices.Index(t.Pools, c.node.Pool))%5)
		}
		if c.wire > 0 && r.band.h > 0 {
			p.line("link", c.wire, c.plug(), c.x, c.plug())
			p.dot(c.x, c.plug())
		}
	}
}

// plug is the height of a card's port on the overlay.
func (c *card) plug() int { return c.y + 37 }

func (c *card) drawNode(p pen, colour int) {
	n, end := c.node, c.x+c.w-inset
	p.group(nodeWords(*n) + macWords(n.MAC))
	c.base(p, strconv.Itoa(colour), n.Pool, n.Name)
	p.right("note", end, c.y+21, n.Driver)
	p.text("address", c.x+inset, c.y+62, n.IP)
	p.right("note", end, c.y+62, n.OS)
	p.end()
}

func macWords(mac string) string {
	if mac == "" {
		return ""
	}
	return ", " + mac
}

// base draws what all cards have.
func (c *card) base(p pen, colour, role, name string) {
	p.rect("card", c.rect, 8)
	p.rect("bar-"+colour, rect{c.x, c.y + 10, 4, c.h - 20}, 2)
	p.text("role role-"+colour, c.x+inset, c.y+21, role)
	p.text("name", c.x+inset, c.y+42, fitting(name, ofName, c.w-2*inset))
}

func (c *card) drawPod(p pen, r row) {
	pod, x, end := c.pod, c.x+inset, c.x+c.w-inset
	lines := portLines(pod.Ports, c.w)
	if len(lines) > 0 {
		way := end - 8
		p.line("publish", way, r.network, way, c.y-6)
		p.arrow(way, c.y-1)
	}
	p.group(podWords(*pod))
	c.base(p, "services", "services pod", pod.Name)
	y := c.y + 42
	if pod.IP != "" {
		y += lineHigh
		p.text("address", x, y, pod.IP+c.moving())
	}
	for i, s := range pod.Services {
		if i == 0 {
			y += 12
			p.line("rule", x, y, end, y)
		}
		y += lineHigh
		p.text("text", x, y-1, s.Title)
		p.right("note", end, y-1, s.Name)
	}
	for i, line := range lines {
		if i == 0 {
			y += 10
			p.line("rule", x, y, end, y)
			p.text("note", x, y+lineHigh-1, "published")
		}
		y += lineHigh
		p.right("port", end, y-1, line)
	}
	p.end()
}

func (l *layout) drawBand(p pen, band rect) {
	p.rect("overlay", band, 10)
	p.text("name", band.x+gap, band.y+26, l.bandHead())
	p.right("note", band.x+band.w-gap, band.y+26, l.bandNote())
}

// drawTrunks joins the lines of a row with those of the row above it.
func (l *layout) drawTrunks(p pen, above, r row) {
	right, left := l.w-margin/2, margin/2
	p.line("wire", l.w-margin, above.network, right, above.network, right, r.network, l.w-margin, r.network)
	if r.band.h > 0 {
		from, to := above.band.y+bandHigh/2, r.band.y+bandHigh/2
		p.line("link", margin, from, left, from, left, to, margin, to)
	}
}

func (l *layout) drawRouter(p pen) {
	p.line("link", l.w/2, l.router.y-bandRoom, l.w/2, l.router.y)
	p.rect("overlay", l.router, 10)
	for _, line := range []struct {
		class string
		y     int
		text  string
	}{{"name", 24, l.routerHead()}, {"note", 43, l.routerNote()}} {
		fmt.Fprintf(p.out, `<text class="%s" x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", line.class, l.w/2, l.router.y+line.y, escaped(line.text))
	}
}

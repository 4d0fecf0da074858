package topology

import (
	"cmp"
	"slices"

	"kinit/engine/event"
)

// Sizes in pixels.
const (
	margin    = 28
	gap       = 14 // between cards, and between the parts of a frame
	gutter    = 26 // left of a column of cards, for its wire to the overlay
	headRoom  = 66 // of a frame, above its cards
	frameGap  = 24 // between frames
	reachRoom = 40 // between the network and the frames below it
	bandRoom  = 26 // between frames and the overlay below them
	bandHigh  = 40 // of the overlay
	rowRoom   = 56 // between the overlay and the next row's network
	wideMost  = 1280
	cardLeast = 236
	cardMost  = 330
	inset     = 16 // of the text in a card
	lineHigh  = 20 // of a row in a card
)

type rect struct{ x, y, w, h int }

// layout is a picture: where everything is.
type layout struct {
	topology *event.Topology
	w, h     int
	rows     []row
	router   rect // zero without an overlay
}

// row is frames beside each other, with the network above and the overlay below.
type row struct {
	network int // the height of the line
	frames  []*frame
	band    rect // of the overlay; zero without one
}

// frame is a hypervisor, or all existing machines.
type frame struct {
	rect
	head, note string
	machines   bool
	columns    int
	cards      []*card
}

// card is a node or a pod.
type card struct {
	rect
	node *event.Node
	pod  *event.Pod
	wire int // the x of its column's wire to the overlay; 0 if it has no port there
}

// place decides where everything is.
func place(t *event.Topology) *layout {
	l := &layout{topology: t}
	frames := framesOf(t)
	wide := cardWidth(frames)
	perRow := len(frames)
	if rows := (len(frames) + 3) / 4; rows > 1 {
		perRow = (len(frames) + rows - 1) / rows
	}
	most := min(4, max(1, wideMost/(max(1, perRow)*(wide+gutter))))
	for _, f := range frames {
		f.arrange(wide, most)
	}
	for part := range slices.Chunk(frames, max(1, perRow)) {
		l.rows = append(l.rows, row{frames: part})
	}
	l.w = l.leastWidth()
	for _, r := range l.rows {
		l.w = max(l.w, r.width()+2*margin)
	}
	l.stack()
	return l
}

// framesOf returns a frame for each hypervisor, and one for existing machines.
func framesOf(t *event.Topology) []*frame {
	var out []*frame
	for _, h := range t.Hypervisors {
		f := &frame{head: "hypervisor " + h.Name}
		if h.Address != "" && h.Address != h.Name {
			f.note = h.Address
		}
		if h.IP != "" {
			f.note = joined(f.note, h.IP+" on the overlay")
		}
		for i := range t.Pods {
			if t.Pods[i].Hypervisor == h.Name {
				f.cards = append(f.cards, &card{pod: &t.Pods[i]})
			}
		}
		for i := range t.Nodes {
			if t.Nodes[i].Hypervisor == h.Name {
				f.cards = append(f.cards, &card{node: &t.Nodes[i]})
			}
		}
		out = append(out, f)
	}
	machines := existing(t)
	if len(machines) == 0 {
		return out
	}
	f := &frame{head: "existing machines", note: "no hypervisor of the cluster", machines: true}
	for i := range machines {
		f.cards = append(f.cards, &card{node: &machines[i]})
	}
	return append(out, f)
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " · " + b
}

// cardWidth is the width of all cards: what the widest needs.
func cardWidth(frames []*frame) int {
	wide := cardLeast
	for _, f := range frames {
		for _, c := range f.cards {
			wide = max(wide, 2*inset+c.needs())
		}
	}
	return min(wide, cardMost)
}

// needs is the width of a card's widest line.
func (c *card) needs() int {
	if n := c.node; n != nil {
		return max(width(n.Pool, ofRole)+gap+width(n.Driver, ofNote), width(n.Name, ofName), width(n.IP, ofAddress)+gap+width(n.OS, ofNote))
	}
	wide := max(width(c.pod.Name, ofName), width(c.pod.IP+c.moving(), ofAddress))
	for _, s := range c.pod.Services {
		wide = max(wide, width(s.Title, ofText)+gap+width(s.Name, ofNote))
	}
	return wide
}

// moving tells the address that a pod shares with its replicas.
func (c *card) moving() string {
	if c.pod.Address == "" {
		return ""
	}
	return ", " + c.pod.Address + " moves"
}

// height is that of a card with a width.
func (c *card) height(wide int) int {
	if c.node != nil {
		return 74
	}
	high := 74
	if c.pod.IP == "" {
		high -= lineHigh
	}
	if n := len(c.pod.Services); n > 0 {
		high += gap + n*lineHigh
	}
	if n := len(portLines(c.pod.Ports, wide)); n > 0 {
		high += gap + n*lineHigh
	}
	return high
}

// portLines breaks the list of published ports into lines that fit into a card.
func portLines(ports []event.PortPair, wide int) []string {
	ports = slices.SortedStableFunc(slices.Values(ports), func(a, b event.PortPair) int { return cmp.Compare(a.Outside, b.Outside) })
	var out []string
	for _, p := range ports {
		text := portWords(p)
		if last := len(out) - 1; last >= 0 && width(out[last]+", "+text, ofNote) <= wide-2*inset-width("published", ofNote)-gap {
			out[last] += ", " + text
			continue
		}
		out = append(out, text)
	}
	return out
}

// arrange puts cards into at most that many columns, each into the shortest. A pod comes into the last one,
// so that the way to its ports does not cross the frame's text.
func (f *frame) arrange(wide, most int) {
	f.columns = max(1, min(most, len(f.cards)))
	bottoms := make([]int, f.columns)
	for i := range bottoms {
		bottoms[i] = headRoom
	}
	for _, c := range f.cards {
		at := slices.Index(bottoms, slices.Min(bottoms))
		if c.pod != nil {
			at = f.columns - 1
		}
		c.rect = rect{gap + at*(gutter+wide+gap) + gutter, bottoms[at], wide, c.height(wide)}
		bottoms[at] += c.h + gap
		if c.pod != nil && c.pod.IP != "" || c.node != nil && c.node.Overlay {
			c.wire = c.x - gutter/2
		}
	}
	f.w = max(gap+f.columns*(gutter+wide+gap), 2*gap+max(width(f.head, ofName), width(f.note, ofNote))+50)
	f.widen(f.w - gap - f.columns*(gutter+wide+gap))
	f.h = max(slices.Max(bottoms), headRoom+gap)
}

// widen gives the cards what the frame's text needs more than they do.
func (f *frame) widen(by int) {
	for _, c := range f.cards {
		column := (c.x - gap) / (gutter + c.w + gap)
		moved := column * by / f.columns
		c.x, c.w = c.x+moved, c.w+by/f.columns
		if c.wire > 0 {
			c.wire += moved
		}
	}
}

func (r row) width() int {
	total := frameGap * max(0, len(r.frames)-1)
	for _, f := range r.frames {
		total += f.w
	}
	return total
}

// leastWidth is what the texts around the frames need.
func (l *layout) leastWidth() int {
	t := l.topology
	wide := max(width(t.Cluster, ofTitle), width(l.subtitle(), ofNote)) + 2*callerWide + 2*gap
	if t.Overlay != nil {
		wide = max(wide, width(l.bandHead(), ofName)+2*gap+width(l.bandNote(), ofNote)+gap, l.routerWide())
	}
	return wide + 2*margin
}

// stack sets the heights, and moves frames from their own places to those of the picture.
func (l *layout) stack() {
	y := margin + callerHigh + gap
	for i := range l.rows {
		r := &l.rows[i]
		r.network = y + gap
		y = r.network + reachRoom
		x, high := margin, 0
		if len(l.rows) == 1 {
			x = (l.w - r.width()) / 2
		}
		for _, f := range r.frames {
			high = max(high, f.h)
		}
		for _, f := range r.frames {
			f.rect = rect{x, y, f.w, high}
			for _, c := range f.cards {
				c.x, c.y = c.x+x, c.y+y
				if c.wire > 0 {
					c.wire += x
				}
			}
			x += f.w + frameGap
		}
		y += high
		if l.topology.Overlay != nil {
			r.band = rect{margin, y + bandRoom, l.w - 2*margin, bandHigh}
			y = r.band.y + r.band.h
		}
		if i < len(l.rows)-1 {
			y += rowRoom - gap
		}
	}
	if l.topology.Overlay != nil {
		wide := l.routerWide()
		l.router = rect{(l.w - wide) / 2, y + bandRoom, wide, 56}
		y = l.router.y + l.router.h
	}
	l.h = y + margin
}

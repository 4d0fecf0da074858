package draw

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// The measures of a laid out picture, in pixels.
const (
	charWidth  = 7.0 // of the 11.5 px monospace font; most fonts are narrower
	boxHeight  = 38.0
	boxPadding = 10.0
	columnGap  = 44.0
	rowGap     = 10.0
	framePad   = 16.0
	frameHead  = 24.0 // where a frame's name stands
	frameGap   = 36.0
	margin     = 20.0
	mostRows   = 12 // a longer column is broken into several
)

// rect is a place in the picture.
type rect struct{ x, y, w, h float64 }

// layout is where everything is.
type layout struct {
	frames []rect // of the groups
	boxes  []rect
	w, h   float64
}

// place lays a picture out: groups in rows, each below those it comes after; within
// a group boxes in columns, each right of those it waits for.
func place(p *Picture) *layout {
	l := &layout{frames: make([]rect, len(p.Groups)), boxes: make([]rect, len(p.Boxes))}
	for i := range p.Groups {
		l.group(p, i)
	}
	y := margin
	for _, row := range rows(p) {
		x, tallest := margin, 0.0
		for _, i := range row {
			l.move(p, i, x, y)
			x += l.frames[i].w + frameGap
			tallest = max(tallest, l.frames[i].h)
		}
		l.w = max(l.w, x-frameGap+margin)
		y += tallest + frameGap
	}
	l.h = y - frameGap + margin
	return l
}

// rows are the groups by how many others come before them at least. Groups that
// nothing orders, as of failures, are below all others.
func rows(p *Picture) [][]int {
	level := levels(len(p.Groups), p.Order)
	deepest := slices.Max(append(slices.Clone(level), 0))
	ordered := map[int]bool{}
	for _, a := range p.Order {
		ordered[a.From], ordered[a.To] = true, true
	}
	all := make([][]int, deepest+2)
	for i, g := range p.Groups {
		at := level[i]
		if !ordered[i] && len(p.Order) > 0 && g.Name != "" {
			at = deepest + 1
		}
		all[at] = append(all[at], i)
	}
	return slices.DeleteFunc(all, func(row []int) bool { return len(row) == 0 })
}

// levels says how long the longest way of arrows to each is. Arrows that close a
// cycle do not count.
func levels(n int, arrows []Arrow) []int {
	next := successors(n, arrows)
	level, open, done := make([]int, n), make([]bool, n), make([]bool, n)
	var order []int
	var visit func(i int)
	visit = func(i int) {
		open[i], done[i] = true, true
		for _, to := range next[i] {
			if !done[to] {
				visit(to)
			}
		}
		order = append(order, i)
		open[i] = false
	}
	for i := range n {
		if !done[i] {
			visit(i)
		}
	}
	slices.Reverse(order)
	at := make([]int, n)
	for place, i := range order {
		at[i] = place
	}
	for _, i := range order {
		for _, to := range next[i] {
			if at[to] > at[i] {
				level[to] = max(level[to], level[i]+1)
			}
		}
	}
	return level
}

// group lays one group out at the origin.
func (l *layout) group(p *Picture, group int) {
	columns := columnsOf(p, group)
	x, bottom := framePad, 0.0
	for _, column := range columns {
		width := 0.0
		for _, i := range column {
			letters := max(utf8.RuneCountInString(p.Boxes[i].Label), utf8.RuneCountInString(p.Boxes[i].Note))
			width = max(width, float64(letters)*charWidth+2*boxPadding)
		}
		y := framePad
		if p.Groups[group].Name != "" {
			y = frameHead + framePad/2
		}
		for _, i := range column {
			l.boxes[i] = rect{x, y, width, boxHeight}
			y += boxHeight + rowGap
		}
		bottom = max(bottom, y-rowGap)
		x += width + columnGap
	}
	name := float64(utf8.RuneCountInString(p.Groups[group].Name)) * (charWidth + 1)
	l.frames[group] = rect{0, 0, max(x-columnGap+framePad, name+2*framePad), bottom + framePad}
}

func (l *layout) move(p *Picture, group int, x, y float64) {
	l.frames[group].x += x
	l.frames[group].y += y
	for i, b := range p.Boxes {
		if b.Group == group {
			l.boxes[i].x += x
			l.boxes[i].y += y
		}
	}
}

// columnsOf are the boxes of a group by how many others of it come before them,
// each column ordered so that arrows cross little.
func columnsOf(p *Picture, group int) [][]int {
	var inside []Arrow
	for _, a := range p.Arrows {
		if p.Boxes[a.From].Group == group && p.Boxes[a.To].Group == group {
			inside = append(inside, a)
		}
	}
	level := levels(len(p.Boxes), inside)
	var columns [][]int
	for i, b := range p.Boxes {
		if b.Group != group {
			continue
		}
		for len(columns) <= level[i] {
			columns = append(columns, nil)
		}
		columns[level[i]] = append(columns[level[i]], i)
	}
	untangle(columns, inside)
	var broken [][]int
	for _, column := range columns {
		broken = append(broken, slices.Collect(slices.Chunk(column, mostRows))...)
	}
	return broken
}

// untangle orders each column by the mean place of its neighbours, a few times from
// the left and from the right: the barycenter method for layered graphs.
func untangle(columns [][]int, arrows []Arrow) {
	const sweeps = 4
	neighbours := map[int][]int{}
	for _, a := range arrows {
		neighbours[a.From] = append(neighbours[a.From], a.To)
		neighbours[a.To] = append(neighbours[a.To], a.From)
	}
	for range sweeps {
		for c := range columns {
			sortByMean(columns, c, neighbours)
		}
		for c := len(columns) - 1; c >= 0; c-- {
			sortByMean(columns, c, neighbours)
		}
	}
}

func sortByMean(columns [][]int, c int, neighbours map[int][]int) {
	at := map[int]float64{} // the place in its column, from 0 to 1
	for _, column := range columns {
		for row, i := range column {
			at[i] = (float64(row) + 0.5) / float64(len(column))
		}
	}
	mean := map[int]float64{}
	for _, i := range columns[c] {
		mean[i] = at[i]
		if len(neighbours[i]) == 0 {
			continue
		}
		sum := 0.0
		for _, n := range neighbours[i] {
			sum += at[n]
		}
		mean[i] = sum / float64(len(neighbours[i]))
	}
	slices.SortStableFunc(columns[c], func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
}

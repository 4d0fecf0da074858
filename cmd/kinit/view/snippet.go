package view

import (
	"fmt"
	"strings"

	"github.com/apparentlymart/go-textseg/v15/textseg"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcled"

	"kinit/engine/diag"
	"kinit/engine/event"
)

// mostSource is how many lines of a file a problem shows at most.
const mostSource = 6

// snippet shows the lines a problem is about, with numbers, and underlines the
// columns of its subject.
func (b *block) snippet(d diag.Diagnostic, file *hcl.File) {
	if file == nil {
		return
	}
	lines := strings.Split(string(file.Bytes), "\n")
	first, last := extent(d)
	last = min(last, len(lines))
	if first < 1 || first > last {
		return
	}
	digits := len(number(last))
	for n := first; n <= last; n++ {
		text := strings.TrimSuffix(lines[n-1], "\r")
		start, end := -1, -1
		if n == d.Subject.Start.Line {
			start, end = underline(text, *d.Subject)
		}
		b.source(fmt.Sprintf("  %*d: ", digits, n), clean(text), start, end)
	}
}

// source is the lines that snippet shows, for a log; nil without any.
func source(d diag.Diagnostic, sources map[string]*hcl.File) *event.Source {
	if d.Subject == nil || sources[d.Subject.Filename] == nil {
		return nil
	}
	file := sources[d.Subject.Filename]
	lines := strings.Split(string(file.Bytes), "\n")
	first, last := extent(d)
	last = min(last, len(lines))
	if first < 1 || first > last {
		return nil
	}
	return &event.Source{
		In:   hcled.ContextString(file, d.Subject.Start.Byte),
		Line: first, Text: strings.Join(lines[first-1:last], "\n"),
	}
}

// extent is the first and the last line to show: the context when it is short,
// else the subject from its beginning.
func extent(d diag.Diagnostic) (first, last int) {
	first, last = d.Subject.Start.Line, max(d.Subject.Start.Line, d.Subject.End.Line)
	if c := d.Context; c != nil && c.Filename == d.Subject.Filename &&
		c.Start.Line <= first && last <= c.End.Line && c.End.Line-c.Start.Line < mostSource {
		return c.Start.Line, c.End.Line
	}
	return first, min(last, first+mostSource-1)
}

// underline finds the columns on the screen that a range covers in its first
// line. HCL counts grapheme clusters, the screen counts cells.
func underline(text string, r hcl.Range) (start, end int) {
	clusters, _ := textseg.AllTokens([]byte(text), textseg.ScanGraphemeClusters)
	from := min(max(r.Start.Column-1, 0), len(clusters))
	to := len(clusters)
	if r.End.Line == r.Start.Line {
		to = min(max(r.End.Column-1, from), len(clusters))
	}
	start = cells(clean(join(clusters[:from])))
	end = cells(clean(join(clusters[:to])))
	return start, max(end, start+1)
}

func join(clusters [][]byte) string {
	var out strings.Builder
	for _, c := range clusters {
		out.Write(c)
	}
	return out.String()
}

// source writes a line of a file behind its gutter, and under it the mark from
// start to end when start is not negative. Of a line that is too long it shows
// the part around the mark.
func (b *block) source(gutter, text string, start, end int) {
	if room := b.width - len(gutter); b.width > 0 && room > 0 && max(cells(text), end) > room {
		text, start, end = around(text, start, end, room)
	}
	b.line(span{gutter, dim}, span{text, plain})
	if start >= 0 {
		b.line(span{spaces(len(gutter) + start), plain}, span{strings.Repeat("^", end-start), red})
	}
}

// around cuts a text to room columns so that the mark from start on can be seen,
// and moves the mark along.
func around(text string, start, end, room int) (string, int, int) {
	if start > room/2 {
		shift := start - room/4
		cutOff := head(text, shift)
		text = ellipsis + text[len(cutOff):]
		moved := len(ellipsis) - cells(cutOff)
		start, end = start+moved, end+moved
	}
	start = min(start, room-1)
	return cut(text, room), start, max(start+1, min(end, room))
}

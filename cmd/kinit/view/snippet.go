package view

import (
	"bytes"
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

// longestSource is how much of a line is shown, in columns, where no terminal limits it.
const longestSource = 400

// snippet shows the lines a problem is about, with numbers, and underlines the
// columns of its subject.
func (b *block) snippet(d diag.Diagnostic, file *hcl.File) {
	first, lines := excerpt(d, file)
	digits := len(number(first + len(lines) - 1))
	for i, text := range lines {
		text = strings.TrimSuffix(text, "\r")
		start, end := -1, -1
		if first+i == d.Subject.Start.Line {
			start, end = underline(text, *d.Subject)
		}
		b.source(fmt.Sprintf("  %*d: ", digits, first+i), clean(text), start, end)
	}
}

// excerpt is the lines of a file to show, from its first on; none where the file does not
// have them.
func excerpt(d diag.Diagnostic, file *hcl.File) (first int, lines []string) {
	if file == nil {
		return 0, nil
	}
	lines = strings.Split(string(file.Bytes), "\n")
	first, last := extent(d)
	last = min(last, len(lines))
	if first < 1 || first > last {
		return 0, nil
	}
	return first, lines[first-1 : last]
}

// source is the lines that snippet shows, for a log; nil without any.
func source(d diag.Diagnostic, sources map[string]*hcl.File) *event.Source {
	if d.Subject == nil {
		return nil
	}
	file := sources[d.Subject.Filename]
	first, lines := excerpt(d, file)
	if lines == nil {
		return nil
	}
	return &event.Source{In: hcled.ContextString(file, d.Subject.Start.Byte), Line: first, Text: strings.Join(lines, "\n")}
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
	start = cells(clean(string(bytes.Join(clusters[:from], nil))))
	end = cells(clean(string(bytes.Join(clusters[:to], nil))))
	return start, max(end, start+1)
}

// source writes a line of a file behind its gutter, and under it the mark from
// start to end when start is not negative. Of a line that is too long it shows
// the part around the mark.
func (b *block) source(gutter, text string, start, end int) {
	room := b.width - len(gutter)
	if b.width <= 0 {
		room = longestSource
	}
	if room > 0 && max(cells(text), end) > room {
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

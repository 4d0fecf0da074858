package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The shape of the live lines.
const (
	mostLive   = 10 // tasks shown at most
	barCells   = 20 // of a progress bar
	wideEnough = 70 // columns from which a bar is drawn
)

// live draws what runs now: a line about the run, then one a task, the longest
// at work first. rows is the height of the terminal.
func (b *board) live(now time.Time, columns, rows int, colour bool) []string {
	if len(b.running) == 0 {
		return nil
	}
	width := columns - 1 // in the last column some terminals wrap
	lines := []string{render([]span{{b.headline(now), bold}}, width, colour)}
	shown := b.running[:min(len(b.running), mostLive, max(1, rows/2))]
	host, task := 0, 0
	for _, r := range shown {
		host = max(host, cells(clean(r.host)))
		task = max(task, min(cells(clean(r.task)), width*2/5))
	}
	for _, r := range shown {
		lines = append(lines, render(r.spans(now, host, task, width), width, colour))
	}
	if more := len(b.running) - len(shown); more > 0 {
		lines = append(lines, render([]span{{"  and " + number(more) + " more", dim}}, width, colour))
	}
	return lines
}

func (b *board) headline(now time.Time) string {
	text := number(b.done)
	if b.total > 0 {
		text += "/" + number(b.total)
	}
	text += fmt.Sprintf(" tasks done, %d running", len(b.running))
	if b.failed > 0 {
		text += fmt.Sprintf(", %d failed", b.failed)
	}
	if b.started.IsZero() {
		return text
	}
	return text + "  " + Seconds(now.Sub(b.started))
}

// spans are the line of a task, its host and address in columns of their own.
func (r *running) spans(now time.Time, host, task, width int) []span {
	spans := []span{
		{"  " + pad(clean(r.host), host) + "  ", cyan},
		{pad(cut(clean(r.task), task), task) + "  ", plain},
		{pad(Seconds(now.Sub(r.started)), 5) + "  ", dim},
	}
	if bytes := r.bytes(now, width); bytes != "" {
		spans = append(spans, span{bytes + "  ", plain})
	}
	return append(spans, span{r.text, dim})
}

// bytes shows how much of how much, how fast and how long still.
func (r *running) bytes(now time.Time, width int) string {
	p := r.progress
	if p.Done <= 0 && p.Total <= 0 {
		return ""
	}
	var parts []string
	if p.Total > 0 && width >= wideEnough {
		parts = append(parts, bar(p.Done, p.Total))
	}
	if p.Total > 0 {
		parts = append(parts, fmt.Sprintf("%3d%%", percent(p.Done, p.Total)), size(p.Done)+"/"+size(p.Total))
	} else {
		parts = append(parts, size(p.Done))
	}
	perSecond := r.rate.perSecond(now, p.Done)
	if perSecond > 0 {
		parts = append(parts, size(perSecond)+"/s")
	}
	if left := p.Total - p.Done; perSecond > 0 && left > 0 {
		parts = append(parts, "ETA "+eta(left/perSecond))
	}
	return strings.Join(parts, "  ")
}

func bar(done, total int64) string {
	full := int(percent(done, total)) * barCells / 100
	if full == barCells {
		return "[" + strings.Repeat("=", barCells) + "]"
	}
	return "[" + strings.Repeat("=", full) + ">" + spaces(barCells-full-1) + "]"
}

// percent is how much of the total is done, 0 to 100.
func percent(done, total int64) int64 {
	return min(100, max(0, int64(float64(done)/float64(total)*100)))
}

func number(n int) string { return strconv.Itoa(n) }

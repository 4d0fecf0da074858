package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// summary is what stands below the tasks at the end.
func (t *Text) summary(r *engine.Report) string {
	out := block{width: t.options.Out.width(), colour: t.options.Out.Colour}
	if t.options.Mode == Read {
		return ""
	}
	if t.ok > 0 {
		out.line(span{Count(t.ok, "task") + " ok (-v lists what is ok)", dim})
	}
	if t.options.Mode == Run && !t.options.Quiet {
		out.stages(r)
		out.slowest(r.Results)
	}
	out.recap(r.Hosts)
	if t.options.Quiet {
		return out.String()
	}
	out.outputs(r.Outputs)
	return out.String()
}

// verdict returns the last line: the result and the duration.
func (t *Text) verdict(r *engine.Report) string {
	if t.options.Quiet || t.options.Mode == Read {
		return ""
	}
	out := block{width: t.options.Out.width(), colour: t.options.Out.Colour}
	if t.printed {
		out.gap()
	}
	for _, line := range wrap(verdict(r, t.options), out.width) {
		out.line(span{line, bold})
	}
	return out.String()
}

// block is text made line by line.
type block struct {
	strings.Builder
	width  int
	colour bool
}

func (b *block) line(spans ...span) {
	b.WriteString(render(spans, b.width, b.colour))
	b.WriteByte('\n')
}

// gap separates parts by an empty line.
func (b *block) gap() { b.WriteByte('\n') }

// stages is a table of where the time went. Stages overlap, so the shares of the
// wall clock may add up to more than all of it.
func (b *block) stages(r *engine.Report) {
	if len(r.Stages) == 0 {
		return
	}
	name := len("STAGE")
	for _, s := range r.Stages {
		name = max(name, cells(clean(s.Stage)))
	}
	b.gap()
	b.line(span{fmt.Sprintf("%s  %6s  %5s  %5s", pad("STAGE", name), "TIME", "SHARE", "TASKS"), bold})
	for _, s := range r.Stages {
		share := int64(0)
		if r.Duration > 0 {
			share = percent(int64(s.Duration), int64(r.Duration))
		}
		b.line(span{fmt.Sprintf("%s  %6s  %4d%%  %5d", pad(clean(s.Stage), name), Seconds(s.Duration), share, s.Tasks), plain})
	}
}

// The tasks that slowest names: a few that took long, of a run with more of them.
const (
	mostSlowest = 5
	slow        = 10 * time.Second
)

func (b *block) slowest(results []engine.Result) {
	var slowest []engine.Result
	for _, r := range results {
		if r.Duration >= slow {
			slowest = append(slowest, r)
		}
	}
	if len(results) <= mostSlowest || len(slowest) == 0 {
		return
	}
	slices.SortStableFunc(slowest, func(x, y engine.Result) int { return cmp.Compare(y.Duration, x.Duration) })
	b.gap()
	b.line(span{"  TIME  SLOWEST TASKS", bold})
	for _, r := range slowest[:min(len(slowest), mostSlowest)] {
		for i, line := range wrap(fmt.Sprintf("%6s  %s on %s", Seconds(r.Duration), clean(r.Address), clean(r.Host)), b.width) {
			if i > 0 {
				line = "        " + strings.TrimLeft(line, " ")
			}
			b.line(span{line, plain})
		}
	}
}

// recap has a line a host, in the words of Ansible; a narrow terminal gets them
// without columns, and without what is zero.
func (b *block) recap(hosts []engine.HostCounts) {
	if len(hosts) == 0 {
		return
	}
	name := 0
	for _, h := range hosts {
		name = max(name, cells(clean(h.Host)))
	}
	b.gap()
	b.line(span{"PLAY RECAP", bold})
	format := " %s=%-4d"
	if full := name + len(" : ok=0000 changed=0000 failed=0000 skipped=0000 unreachable=0000"); b.width > 0 && full > b.width {
		format = " %s=%d"
	}
	for _, h := range hosts {
		spans := []span{{pad(clean(h.Host), name) + " :", plain}}
		short := spans[0].text
		for _, count := range []struct {
			word  string
			n     int
			style string
		}{{"ok", h.OK, green}, {"changed", h.Changed, yellow}, {"failed", h.Failed, red}, {"skipped", h.Skipped, cyan}, {"unreachable", h.Unreachable, red}} {
			text := fmt.Sprintf(format, count.word, count.n)
			if count.n == 0 {
				count.style = dim
			} else {
				short += text
			}
			spans = append(spans, span{text, count.style})
		}
		if !isNarrow(b.width) {
			b.line(spans...)
			continue
		}
		for _, line := range wrap(short, b.width) {
			b.line(span{line, plain})
		}
	}
}

func (b *block) outputs(outputs []engine.Output) {
	if len(outputs) == 0 {
		return
	}
	b.gap()
	b.line(span{"OUTPUTS", bold})
	for _, o := range outputs {
		value := o.Value
		if o.Sensitive {
			value = "(sensitive)"
		}
		lines := wrap(clean(o.Name)+" = "+value, b.width)
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
}

func verdict(r *engine.Report, o Options) string {
	ended := counts(r.Results)
	switch {
	case r.Interrupted:
		return "Stopped after " + Seconds(r.Duration) + ": " + tally(r) + "."
	case r.Diagnostics.HasErrors() && len(r.Results) == 0:
		return o.Spec + ": " + problems(r.Diagnostics) + ", nothing was done."
	case r.Diagnostics.HasErrors() || ended[event.Failed]+ended[event.Unreachable] > 0:
		return "Failed after " + Seconds(r.Duration) + ": " + tally(r) + "."
	case o.Mode == Validate:
		return o.Spec + " is valid: " + Count(r.Tasks, "task") + "." + unasked(r)
	case o.Mode == Plan:
		return planned(r)
	}
	return "Done in " + Seconds(r.Duration) + ": " + tally(r) + "."
}

func problems(list diag.List) string {
	n := 0
	for _, d := range list {
		if !d.Warning {
			n++
		}
	}
	return Count(n, "error")
}

func planned(r *engine.Report) string {
	took := " (" + Seconds(r.Duration) + ")"
	if r.Changes() == 0 {
		return "Nothing to change" + took + "."
	}
	return fmt.Sprintf("%d of %s would change something%s.", r.Changes(), Count(len(r.Results), "task"), took) + unasked(r)
}

// unasked is what a verdict ends with if no host was asked.
func unasked(r *engine.Report) string {
	if !r.Offline {
		return ""
	}
	return " " + NewCluster(r)
}

// NewCluster says that a cluster is shown without what hosts have of it.
func NewCluster(r *engine.Report) string {
	return "No host was asked: the cluster " + r.Cluster + " is shown as a new one."
}

// tally counts tasks by how they ended, zeros left out.
func tally(r *engine.Report) string {
	text, ended := Count(len(r.Results), "task"), counts(r.Results)
	for _, status := range []event.Status{event.Changed, event.Failed, event.Skipped, event.Unreachable} {
		if n := ended[status]; n > 0 || status == event.Changed {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	return text
}

package site

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/view"
	"kinit/engine/lists"
)

// mostValues is how many of the newest values statistics are made of.
const mostValues = 60

// notable is how much longer something must take to be called slower: less is noise.
const notable = 5 * time.Second

// measure is one thing that takes time, over the runs in which it went well.
type measure struct {
	Name   string
	Inner  bool // it is a stage within the phase above it
	values []sample
	Last   time.Duration
	P50    time.Duration
	P95    time.Duration
	Change string // of the last week against the one before; empty when it is unknown
	Slower bool
	Chart  chart
}

// sample is a value of a run.
type sample struct {
	at    time.Time
	value time.Duration
}

// measures are the time to ready, and each phase with its stages.
func measures(runs []*result.Result, now time.Time) (ready *measure, rest []*measure) {
	ready = &measure{Name: "Time to Ready"}
	table := &table{byName: map[string]*measure{}}
	for _, name := range result.Phases() {
		table.measure(string(name), false, len(table.order))
	}
	for _, r := range runs {
		if r.End != nil && r.End.Ready > 0 {
			ready.add(r, r.End.Ready)
		}
		table.take(r)
	}
	for _, m := range append([]*measure{ready}, table.order...) {
		m.finish(now)
	}
	return ready, slices.DeleteFunc(table.order, func(m *measure) bool { return len(m.values) == 0 })
}

// table has measures in the order in which they are shown: phases in theirs, stages by the
// newest run that has them.
type table struct {
	order  []*measure
	byName map[string]*measure
}

func (t *table) take(r *result.Result) {
	for _, name := range result.Phases() {
		p := r.Last(name)
		if p == nil || !p.OK {
			continue
		}
		after := t.byName[string(name)]
		after.add(r, p.Duration())
		if name != result.Deploy {
			continue
		}
		at := slices.Index(t.order, after)
		for _, s := range p.Stages {
			m := t.measure(string(name)+"/"+s.Name, true, at+1)
			m.Name = s.Name
			m.add(r, s.Duration)
			at = slices.Index(t.order, m)
		}
	}
}

func (t *table) measure(name string, inner bool, at int) *measure {
	if m := t.byName[name]; m != nil {
		return m
	}
	m := &measure{Name: name, Inner: inner}
	t.byName[name] = m
	t.order = slices.Insert(t.order, at, m)
	return m
}

// add takes a value of an earlier run than those before.
func (m *measure) add(r *result.Result, d time.Duration) {
	if len(m.values) < mostValues {
		m.values = append(m.values, sample{r.Header.Started, d})
	}
}

func (m *measure) finish(now time.Time) {
	if len(m.values) == 0 {
		return
	}
	m.Last, m.P50, m.P95 = m.values[0].value, percentile(m.values, 50), percentile(m.values, 95)
	m.Chart = newChart(m.Name, m.values)
	const week = 7 * 24 * time.Hour
	this := between(m.values, now.Add(-week), now)
	before := between(m.values, now.Add(-2*week), now.Add(-week))
	if len(this) == 0 || len(before) == 0 {
		return
	}
	a, b := percentile(before, 50), percentile(this, 50)
	if a <= 0 {
		return
	}
	percent := float64(b-a) / float64(a) * 100
	m.Change, m.Slower = fmt.Sprintf("%+.0f %%", percent), percent >= 10 && b-a >= notable
}

// between are the values of runs that started after one time and not after another.
func between(values []sample, from, to time.Time) []sample {
	return slices.DeleteFunc(slices.Clone(values), func(s sample) bool { return !s.at.After(from) || s.at.After(to) })
}

// percentile is the nearest-rank percentile: the least value that so many percent of all
// do not exceed.
func percentile(values []sample, percent int) time.Duration {
	sorted := lists.Map(values, func(s sample) time.Duration { return s.value })
	slices.Sort(sorted)
	rank := (percent*len(sorted) + 99) / 100
	return sorted[max(0, rank-1)]
}

// chart is a line of values over the runs, the oldest at the left, in a box of 120 by 28.
type chart struct {
	Points string // of an SVG polyline
	Last   string // x and y of the newest value
	LastY  string
	Median string // y of the median
	Label  string // for those who do not see it
}

const (
	chartWidth  = 120.0
	chartHeight = 28.0
	chartMargin = 3.0
)

// newChart draws values, the newest first. The axis begins at zero, so that noise looks
// like noise.
func newChart(name string, values []sample) chart {
	most := slices.MaxFunc(values, func(a, b sample) int { return int(a.value - b.value) }).value
	y := func(d time.Duration) float64 {
		if most <= 0 {
			return chartHeight - chartMargin
		}
		return chartHeight - chartMargin - (chartHeight-2*chartMargin)*float64(d)/float64(most)
	}
	var points []string
	step := (chartWidth - 2*chartMargin) / float64(max(1, len(values)-1))
	for i := range values {
		s := values[len(values)-1-i]
		points = append(points, fmt.Sprintf("%.1f,%.1f", chartMargin+step*float64(i), y(s.value)))
	}
	lastX, lastY, _ := strings.Cut(points[len(points)-1], ",")
	return chart{
		Points: strings.Join(points, " "), Last: lastX, LastY: lastY, Median: fmt.Sprintf("%.1f", y(percentile(values, 50))),
		Label: fmt.Sprintf("%s over the last %d runs, from %s to %s", name, len(values),
			view.Seconds(values[len(values)-1].value), view.Seconds(values[0].value)),
	}
}

package site

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/cmd/kinit/view"
)

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

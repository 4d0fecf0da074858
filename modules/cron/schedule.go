package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// field describes the values of one of the five fields; man 5 crontab.
type field struct {
	name     string
	from, to int
	words    []string // for from and the numbers after it
}

var fields = []field{
	{name: "minute", to: 59},
	{name: "hour", to: 23},
	{name: "day", from: 1, to: 31},
	{name: "month", from: 1, to: 12, words: []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{name: "weekday", to: 7, words: []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

func (f field) String() string {
	text := fmt.Sprintf("\"*\" or %d to %d", f.from, f.to)
	if len(f.words) > 0 {
		text = fmt.Sprintf("%s, or %s to %s", text, f.words[0], f.words[len(f.words)-1])
	}
	return text + ", also as ranges \"a-b\", lists \"a,b\" and steps \"*/n\""
}

// takes reads one entry of the field's list: *, a or a-b, and /n after the first
// and last.
func (f field) takes(text string) bool {
	span, step, stepped := strings.Cut(text, "/")
	if n, err := strconv.Atoi(step); stepped && (err != nil || n < 1) {
		return false
	}
	if span == "*" {
		return true
	}
	first, last, ranged := strings.Cut(span, "-")
	from, ok := f.number(first)
	if !ok || !ranged {
		return ok && !stepped
	}
	to, ok := f.number(last)
	return ok && from <= to
}

func (f field) number(text string) (int, bool) {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.from + i, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.from && n <= f.to
}

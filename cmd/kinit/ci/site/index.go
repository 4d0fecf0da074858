package site

import (
	"fmt"
	"slices"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine/lists"
)

// How much stands on one page.
const (
	days        = 14 // of the grid
	jobsPerPage = 50
	runsPerPage = 50
)

// frame is what every page has.
type frame struct {
	Root     string // the way to the site's folder, such as ../../
	Site     string // its title
	Title    string
	Program  string
	Rendered time.Time
}

func (s *site) frame(root, title string) frame {
	return frame{Root: root, Site: s.title(), Title: title, Program: s.Program, Rendered: s.Now.UTC()}
}

// indexPage is the first page, or one that follows it.
type indexPage struct {
	frame
	Counts []wordCount
	Days   []time.Time
	Rows   []row
	Pager  pager
	All    int
}

type wordCount struct {
	Word  word
	Class string
	N     int
}

// row is a job's line.
type row struct {
	*job
	Cells   []cell
	Ready   time.Duration // of the newest run that got there
	P50     time.Duration
	Changed tally
	Left    tally
	Last    time.Time
	Age     string
	Error   string
}

// tally is a number that should be zero, or nothing where it is unknown.
type tally struct {
	Known bool
	N     int
}

// cell is a day of the grid.
type cell struct {
	Class string // pass, fail, infra, abort, live, or empty without a run
	Text  string
	Label string
	Link  string
}

func (s *site) index(all []*job) error {
	counts := make([]wordCount, len(words))
	var rows []row
	for _, j := range all {
		c := &counts[j.Status.rank()]
		c.Word, c.Class, c.N = j.Status.Word, j.Status.Class, c.N+1
		rows = append(rows, newRow(j, s.Now))
	}
	counts = slices.DeleteFunc(counts, func(c wordCount) bool { return c.N == 0 })
	for i, part := range parts(rows, jobsPerPage) {
		p := indexPage{frame: s.frame("", s.title()), Counts: counts, Rows: part, Days: lastDays(s.Now), All: len(rows),
			Pager: newPager(i, len(rows), jobsPerPage)}
		if err := s.page(pageName(i), "index.html", p); err != nil {
			return err
		}
	}
	return nil
}

func newRow(j *job, now time.Time) row {
	newest := j.Runs[0]
	out := row{job: j, Cells: cells(j, now), Last: newest.Header.Started.UTC(), Age: age(now.Sub(newest.Header.Started))}
	var ready []sample
	for _, r := range j.Runs {
		if r.End != nil && r.End.Ready > 0 && len(ready) < mostValues {
			ready = append(ready, sample{r.Header.Started, r.End.Ready})
		}
	}
	if len(ready) > 0 {
		out.Ready, out.P50 = ready[0].value, percentile(ready, 50)
	}
	out.Changed, out.Left = changed(newest), leftovers(newest)
	troubled := slices.Contains([]word{failing, flaky, refused, infrastructure}, j.Status.Word)
	if r := j.shown(); r != nil && troubled && r.End != nil && r.End.Error != nil {
		out.Error = r.End.Error.Summary
	}
	return out
}

func changed(r *result.Result) tally {
	n, known := r.Changed()
	return tally{known, n}
}

func leftovers(r *result.Result) tally {
	n, known := r.Leftovers()
	return tally{known && len(r.Phases) > 0, n}
}

// lastDays are the days of the grid in UTC, today last.
func lastDays(now time.Time) []time.Time {
	today := now.UTC().Truncate(24 * time.Hour)
	var all []time.Time
	for i := days - 1; i >= 0; i-- {
		all = append(all, today.AddDate(0, 0, -i))
	}
	return all
}

// cells are the days of a job. Of several runs on a day, the one that is worst for the
// product stands for it.
func cells(j *job, now time.Time) []cell {
	byDay := map[time.Time][]*result.Result{}
	all := lastDays(now)
	for _, r := range j.Runs {
		day := r.Header.Started.UTC().Truncate(24 * time.Hour)
		if day.Before(all[0]) {
			break
		}
		byDay[day] = append(byDay[day], r)
	}
	return lists.Map(all, func(day time.Time) cell { return newCell(j, day, byDay[day]) })
}

func newCell(j *job, day time.Time, runs []*result.Result) cell {
	if len(runs) == 0 {
		return cell{}
	}
	worst := slices.MinFunc(runs, func(a, b *result.Result) int { return rank(a) - rank(b) })
	c := cell{Link: "jobs/" + j.Address + "/runs/" + worst.ID + "/index.html"}
	c.Class, c.Text = short(worst)
	c.Label = day.Format("2 Jan") + ": " + says(worst)
	if worst.Verdict() == result.Passed {
		c.Label = day.Format("2 Jan") + ": ok" // what is seen is part of what is heard, WCAG 2.5.3
	}
	if len(runs) > 1 {
		c.Label += fmt.Sprintf(", the worst of %d", len(runs))
	}
	return c
}

func rank(r *result.Result) int { return slices.Index(result.Verdicts(), r.Verdict()) }

// short is a run in a word: where it failed first.
func short(r *result.Result) (class, text string) {
	switch r.Verdict() {
	case result.Passed:
		return "pass", "ok"
	case result.Failed:
		return "fail", r.FailedAt()
	case result.Refused, result.Infrastructure:
		return "infra", r.FailedAt()
	case result.Running:
		return "live", "running"
	}
	return "abort", "aborted"
}

// says is a run in a sentence.
func says(r *result.Result) string {
	where := r.FailedAt()
	switch {
	case r.Verdict() == result.Failed:
		return "failed in " + where
	case r.Verdict() == result.Refused:
		return "refused in " + where
	case r.Verdict() == result.Infrastructure:
		return "the infrastructure failed in " + where
	case r.Verdict() == result.Aborted && where != "":
		return "aborted in " + where
	}
	return string(r.Verdict())
}

// pager leads from one part of a list to the others.
type pager struct {
	Page, Pages int // from 1
	Before      string
	After       string
	From, To    int
	Of          int
}

func newPager(i, all, size int) pager {
	n := max(1, (all+size-1)/size)
	p := pager{Page: i + 1, Pages: n, From: i*size + 1, To: min(all, (i+1)*size), Of: all}
	if i > 0 {
		p.Before = pageName(i - 1)
	}
	if i+1 < n {
		p.After = pageName(i + 1)
	}
	return p
}

// pageName is the file of a part of a list, from 0.
func pageName(i int) string {
	if i == 0 {
		return "index.html"
	}
	return fmt.Sprintf("page-%d.html", i+1)
}

// parts splits a list; an empty one has one empty part.
func parts[T any](all []T, size int) [][]T {
	if len(all) == 0 {
		return [][]T{nil}
	}
	return slices.Collect(slices.Chunk(all, size))
}

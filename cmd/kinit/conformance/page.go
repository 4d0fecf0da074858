package conformance

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/view"
	"kinit/engine/lists"
)

//go:embed assets/page.html assets/page.css
var assets embed.FS

// page is what the template shows.
type page struct {
	*Result
	Style   template.CSS
	Policy  string
	Class   string // good, bad or open
	Verdict string
	Counts  []stateCount
	Groups  []Tally
	Failed  []Test
	Lists   []list
}

type stateCount struct {
	Class, Icon, Word, Anchor string
	N                         int
}

// list is tests of one state, which somebody opens.
type list struct {
	Anchor, Title string
	Tests         []Test
}

// WritePage writes the result as one HTML page that needs nothing else. It looks like the
// report of a run, and has no script.
func WritePage(w io.Writer, r *Result) error {
	own, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return fmt.Errorf("read a part of the conformance page: %w", err)
	}
	common, err := report.Style()
	if err != nil {
		return err
	}
	text, err := template.New("page.html").Funcs(template.FuncMap{"clean": view.Clean, "duration": view.Seconds}).ParseFS(assets, "assets/page.html")
	if err != nil {
		return fmt.Errorf("read the conformance page: %w", err)
	}
	style := common + string(own)
	p := newPage(r)
	// Files of this program, without any text of a cluster.
	p.Style = template.CSS(style)
	p.Policy = "default-src 'none'; style-src " + report.Hash(style)
	if err := text.Execute(w, p); err != nil {
		return fmt.Errorf("write the conformance page: %w", err)
	}
	return nil
}

func newPage(r *Result) *page {
	p := &page{Result: r, Verdict: Verdict(r), Class: "bad", Groups: r.Tallies(), Failed: r.Of(Failed)}
	switch {
	case r.Good():
		p.Class = "good"
	case r.Interrupted:
		p.Class = "open"
	}
	p.Counts = []stateCount{
		{"ok", "✓", "passed", "passed", r.Count(Passed)},
		{"failed", "✕", "failed", "failed", r.Count(Failed)},
		{"skipped", "↷", "skipped", "skipped", r.Count(Skipped)},
		{"unfinished", "○", "not run", "notrun", r.Count(NotRun)},
	}
	leftOut := lists.Map(r.LeftOut, func(name string) Test { return Test{Name: name} })
	for _, l := range []list{
		{"leftout", "Left out", leftOut},
		{"notrun", "Not run", r.Of(NotRun)},
		{"skipped", "Skipped", r.Of(Skipped)},
		{"passed", "Passed", r.Of(Passed)},
	} {
		if len(l.Tests) > 0 {
			p.Lists = append(p.Lists, l)
		}
	}
	return p
}

// Verdict is the result in a sentence.
func Verdict(r *Result) string {
	took := view.Seconds(r.Took())
	n := len(r.Tests)
	failed, notRun := r.Count(Failed), r.Count(NotRun)
	switch {
	case r.Interrupted:
		return fmt.Sprintf("Interrupted after %s: %d of %s ran, %d failed", took, n-notRun, view.Count(n, "test"), failed)
	case failed > 0 && notRun > 0:
		return fmt.Sprintf("Failed: %d of %s, and %d did not run, in %s", failed, view.Count(n, "test"), notRun, took)
	case failed > 0:
		return fmt.Sprintf("Failed: %d of %s, in %s", failed, view.Count(n, "test"), took)
	case r.Problem != "" || notRun > 0:
		return fmt.Sprintf("Failed after %s: %d of %s did not run", took, notRun, view.Count(n, "test"))
	}
	if skipped := r.Count(Skipped); skipped > 0 {
		return fmt.Sprintf("Passed: %s in %s; %d do not apply to this cluster", view.Count(n-skipped, "test"), took, skipped)
	}
	return fmt.Sprintf("Passed: all %s in %s", view.Count(n, "test"), took)
}

// Package junit writes a run as JUnit XML, in the form that CI systems read: a
// suite a stage, and a case a task.
//
// Its elements and attributes are those of the schema that Jenkins' xUnit plugin
// publishes; GitLab, GitHub's and others' readers know a part of them.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// Start is how each document begins.
const Start = xml.Header + "<!-- made by kinit -->\n"

// Write writes the run.
func Write(w io.Writer, r *replay.Run) error { return Encode(w, document(r)) }

// Encode writes a document of suites.
func Encode(w io.Writer, suites any) error {
	if _, err := io.WriteString(w, Start); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	counts
	Suites []*suite
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Time     string `xml:"time,attr"` // seconds
}

type suite struct {
	XMLName   xml.Name `xml:"testsuite"`
	Name      string   `xml:"name,attr"`
	Timestamp string   `xml:"timestamp,attr"` // ISO 8601 without a zone; it is UTC
	counts
	Skipped    int        `xml:"skipped,attr"`
	Properties []property `xml:"properties>property"`
	Cases      []Case
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Case is a test, with why it did not pass.
type Case struct {
	XMLName   xml.Name `xml:"testcase"`
	ClassName string   `xml:"classname,attr"`
	Name      string   `xml:"name,attr"`
	Time      string   `xml:"time,attr"`
	Why       *Why
	Out       string `xml:"system-out,omitempty"`
	Err       string `xml:"system-err,omitempty"`
}

// The elements of Why.
const (
	Failure = "failure"
	Error   = "error"
	Skipped = "skipped"
)

// Why is one of these elements.
type Why struct {
	XMLName xml.Name
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// NewWhy makes an element of texts that need not be clean.
func NewWhy(element, message, kind, detail string) *Why {
	return &Why{XMLName: xml.Name{Local: element}, Message: text(message), Type: text(kind), Text: text(detail)}
}

// document is the run as suites: one a stage, and one for the run as a whole, which
// holds what went wrong and belongs to no task.
func document(r *replay.Run) suites {
	doc := suites{Name: name(r)}
	doc.Time = Seconds(r.Duration())
	byStage, alike := map[string]*suite{}, r.Alike()
	for _, t := range r.Tasks {
		s := byStage[t.Stage]
		if s == nil {
			s = newSuite(r, t.Stage)
			byStage[t.Stage] = s
			doc.Suites = append(doc.Suites, s)
		}
		s.add(taskCase(r, t, alike))
	}
	times(doc.Suites, r, byStage)
	if s := runSuite(r); s != nil {
		doc.Suites = append(doc.Suites, s)
	}
	for _, s := range doc.Suites {
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
	}
	return doc
}

// times gives suites the time their stage took, by the clock; without a stage, of
// the tasks one after the other.
func times(all []*suite, r *replay.Run, byStage map[string]*suite) {
	for _, s := range all {
		s.Time = Seconds(0)
	}
	for _, stage := range r.Stages {
		if s := byStage[stage.Stage]; s != nil {
			s.Time, s.Timestamp = Seconds(stage.Duration), Stamp(stage.Started)
		}
	}
	if s := byStage[""]; s != nil {
		var sum time.Duration
		for _, t := range r.Tasks {
			if t.Stage == "" {
				sum += t.Duration
			}
		}
		s.Time = Seconds(sum)
	}
}

func newSuite(r *replay.Run, stage string) *suite {
	s := &suite{Name: name(r), Timestamp: Stamp(r.Started), Properties: []property{
		{"run", text(r.ID)}, {"spec", text(r.Header.Spec)}, {"kinit", text(r.Header.Program)},
	}}
	if stage != "" {
		s.Name += "." + text(stage)
	}
	return s
}

func (s *suite) add(c Case) {
	s.Tests++
	s.Cases = append(s.Cases, c)
	if c.Why == nil {
		return
	}
	switch c.Why.XMLName.Local {
	case Failure:
		s.Failures++
	case Error:
		s.Errors++
	case Skipped:
		s.Skipped++
	}
}

// taskCase is a task as a test case. A task that failed is a failure; one that
// could not be tried, or did not come to its end, is an error.
func taskCase(r *replay.Run, t *replay.Task, alike *replay.Alike) Case {
	c := Case{ClassName: name(r), Name: text(t.Address), Time: Seconds(t.Duration), Out: steps(t)}
	if t.Stage != "" {
		c.ClassName += "." + text(t.Stage)
	}
	if t.Host != "" {
		c.Name += " on " + text(t.Host)
	}
	switch t.Status {
	case event.Failed:
		c.Why = reason(Failure, t, alike)
	case event.Unreachable:
		c.Why = reason(Error, t, alike)
	case event.Skipped:
		c.Why = NewWhy(Skipped, t.Message, "", "")
	case "":
		c.Why = unfinished(t)
	}
	for _, p := range t.Problems {
		if _, repeats := alike.Repeats(p); p.Command != nil && !repeats {
			c.Err = text(p.Command.Stderr)
		}
	}
	return c
}

func unfinished(t *replay.Task) *Why {
	if t.Started.IsZero() {
		return NewWhy(Skipped, "the run ended before", "", "")
	}
	return NewWhy(Error, "the run ended while it was at work", "unfinished", "")
}

// reason is why a task failed. What another host has reported already is reported in short.
func reason(element string, t *replay.Task, alike *replay.Alike) *Why {
	w := NewWhy(element, event.FirstLine(t.Message), string(t.Status), t.Message)
	if len(t.Problems) == 0 {
		return w
	}
	p := t.Problems[0]
	if first, repeats := alike.Repeats(p); repeats {
		w.Type, w.Text = text(p.Summary), fmt.Sprintf("The same as %s on %s.", text(first.Address), text(first.Host))
		return w
	}
	w.Type, w.Text = text(p.Summary), text(p.Detail)
	if p.Range != nil {
		w.Text += fmt.Sprintf("\n\n%s:%d", text(p.Range.File), p.Range.Start.Line)
	}
	return w
}

// steps is what a task did.
func steps(t *replay.Task) string {
	var out strings.Builder
	for _, a := range t.Attempts {
		fmt.Fprintf(&out, "attempt %d failed: %s\n", a.Number, a.Message)
	}
	for _, s := range t.Steps {
		out.WriteString(s.Text + "\n")
	}
	return text(out.String())
}

// runSuite has a case for each error that belongs to no task, and one that failed
// when nothing else did although the run did not end well.
func runSuite(r *replay.Run) *suite {
	s := newSuite(r, "")
	s.Name, s.Time = s.Name+" (run)", Seconds(0)
	for i, p := range r.Problems {
		if p.Severity == "error" && (p.Address == "" || r.Verdict == replay.Invalid) {
			s.add(s.problem(fmt.Sprintf("problem %d: %s", i+1, text(p.Summary)), p.Summary, p.Detail))
		}
	}
	failed := r.Counts[event.Failed] + r.Counts[event.Unreachable] + s.Tests
	if !r.Verdict.Good() && failed == 0 {
		s.add(s.problem("the run", string(r.Verdict), fmt.Sprintf("The run did not come to its end: %s.", r.Verdict)))
	}
	if s.Tests == 0 {
		return nil
	}
	return s
}

func (s *suite) problem(name, kind, detail string) Case {
	return Case{ClassName: s.Name, Name: name, Time: Seconds(0), Why: NewWhy(Error, kind, kind, detail)}
}

func name(r *replay.Run) string {
	spec := r.Header.Spec[strings.LastIndexByte(r.Header.Spec, '/')+1:]
	return text(strings.TrimSuffix(spec, ".hcl"))
}

// text is text without what XML cannot hold and terminals would obey.
func text(raw string) string { return view.Clean(raw) }

// Stamp shows a time as ISO 8601 without a zone; it is UTC.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

// Seconds shows a duration in seconds, with three decimals.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

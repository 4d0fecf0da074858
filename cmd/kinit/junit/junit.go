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

// Write writes the run.
func Write(w io.Writer, r *replay.Run) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(document(r)); err != nil {
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
	Cases      []testCase
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	XMLName   xml.Name `xml:"testcase"`
	ClassName string   `xml:"classname,attr"`
	Name      string   `xml:"name,attr"`
	Time      string   `xml:"time,attr"`
	Skipped   *why
	Error     *why
	Failure   *why
	Out       string `xml:"system-out,omitempty"`
	Err       string `xml:"system-err,omitempty"`
}

type why struct {
	XMLName xml.Name
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// document is the run as suites: one a stage, and one for the run as a whole, which
// holds what went wrong and belongs to no task.
func document(r *replay.Run) suites {
	doc := suites{Name: name(r)}
	doc.Time = seconds(r.Duration())
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
		s.Time = seconds(0)
	}
	for _, stage := range r.Stages {
		if s := byStage[stage.Stage]; s != nil {
			s.Time, s.Timestamp = seconds(stage.Duration), stamp(stage.Started)
		}
	}
	if s := byStage[""]; s != nil {
		var sum time.Duration
		for _, t := range r.Tasks {
			if t.Stage == "" {
				sum += t.Duration
			}
		}
		s.Time = seconds(sum)
	}
}

func newSuite(r *replay.Run, stage string) *suite {
	s := &suite{Name: name(r), Timestamp: stamp(r.Started), Properties: []property{
		{"run", text(r.ID)}, {"spec", text(r.Header.Spec)}, {"kinit", text(r.Header.Program)},
	}}
	if stage != "" {
		s.Name += "." + text(stage)
	}
	return s
}

func (s *suite) add(c testCase) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// taskCase is a task as a test case. A task that failed is a failure; one that
// could not be tried, or did not come to its end, is an error.
func taskCase(r *replay.Run, t *replay.Task, alike *replay.Alike) testCase {
	c := testCase{ClassName: name(r), Name: text(t.Address), Time: seconds(t.Duration), Out: steps(t)}
	if t.Stage != "" {
		c.ClassName += "." + text(t.Stage)
	}
	if t.Host != "" {
		c.Name += " on " + text(t.Host)
	}
	switch t.Status {
	case event.Failed:
		c.Failure = reason("failure", t, alike)
	case event.Unreachable:
		c.Error = reason("error", t, alike)
	case event.Skipped:
		c.Skipped = &why{XMLName: xml.Name{Local: "skipped"}, Message: text(t.Message)}
	case "":
		c.unfinished(t)
	}
	for _, p := range t.Problems {
		if _, repeats := alike.Repeats(p); p.Command != nil && !repeats {
			c.Err = text(p.Command.Stderr)
		}
	}
	return c
}

func (c *testCase) unfinished(t *replay.Task) {
	if t.Started.IsZero() {
		c.Skipped = &why{XMLName: xml.Name{Local: "skipped"}, Message: "the run ended before"}
		return
	}
	c.Error = &why{XMLName: xml.Name{Local: "error"}, Message: "the run ended while it was at work", Type: "unfinished"}
}

// reason is why a task failed. What another host has told already is told in short.
func reason(element string, t *replay.Task, alike *replay.Alike) *why {
	w := &why{XMLName: xml.Name{Local: element}, Message: text(event.FirstLine(t.Message)), Type: string(t.Status), Text: text(t.Message)}
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
	s.Name, s.Time = s.Name+" (run)", seconds(0)
	for i, p := range r.Problems {
		if p.Severity == "error" && (p.Address == "" || r.Verdict == replay.Invalid) {
			s.add(s.problem(fmt.Sprintf("problem %d: %s", i+1, text(p.Summary)), text(p.Summary), text(p.Detail)))
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

func (s *suite) problem(name, kind, detail string) testCase {
	return testCase{ClassName: s.Name, Name: name, Time: seconds(0),
		Error: &why{XMLName: xml.Name{Local: "error"}, Message: kind, Type: kind, Text: detail}}
}

// name is the run's name: that of its spec's file.
func name(r *replay.Run) string {
	spec := r.Header.Spec[strings.LastIndexByte(r.Header.Spec, '/')+1:]
	return text(strings.TrimSuffix(spec, ".hcl"))
}

// text is text without what XML cannot hold and terminals would obey.
func text(raw string) string { return view.Clean(raw) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"kinit/cmd/kinit/view"
)

type xmlSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []*xmlSuite
}

type xmlSuite struct {
	XMLName   xml.Name `xml:"testsuite"`
	Name      string   `xml:"name,attr"`
	Timestamp string   `xml:"timestamp,attr"`
	Tests     int      `xml:"tests,attr"`
	Failures  int      `xml:"failures,attr"`
	Errors    int      `xml:"errors,attr"`
	Skipped   int      `xml:"skipped,attr"`
	Time      string   `xml:"time,attr"`
	Cases     []xmlCase
}

type xmlCase struct {
	XMLName   xml.Name `xml:"testcase"`
	ClassName string   `xml:"classname,attr"`
	Name      string   `xml:"name,attr"`
	Time      string   `xml:"time,attr"`
	Why       *xmlWhy
}

type xmlWhy struct {
	XMLName xml.Name
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the result as JUnit XML: a suite a group, and a case a test. A test
// that was not run is an error, so that nobody takes it for a pass.
func WriteJUnit(w io.Writer, r *Result) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(r.document()); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Result) document() *xmlSuites {
	name := "conformance." + view.Clean(r.Cluster)
	all := &xmlSuites{Name: name, Time: inSeconds(r.Took())}
	byGroup := map[string]*xmlSuite{}
	took := map[string]time.Duration{}
	for _, t := range r.Tests {
		group := t.Group()
		s := byGroup[group]
		if s == nil {
			s = &xmlSuite{Name: name + "." + view.Clean(group), Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05")}
			byGroup[group] = s
			all.Suites = append(all.Suites, s)
		}
		s.add(t)
		took[group] += t.Took
		s.Time = inSeconds(took[group])
	}
	if r.Problem != "" {
		s := &xmlSuite{Name: name, Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"), Time: inSeconds(0), Tests: 1, Errors: 1}
		s.Cases = []xmlCase{{ClassName: name, Name: "the suite", Time: inSeconds(0), Why: why("error", r.Problem, r.Problem)}}
		all.Suites = append(all.Suites, s)
	}
	for _, s := range all.Suites {
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	return all
}

func (s *xmlSuite) add(t Test) {
	c := xmlCase{ClassName: s.Name, Name: view.Clean(t.Name), Time: inSeconds(t.Took)}
	s.Tests++
	switch t.State {
	case Failed:
		s.Failures++
		c.Why = why("failure", t.Error, t.Detail)
	case Skipped:
		s.Skipped++
		c.Why = why("skipped", t.Error, "")
	case NotRun:
		s.Errors++
		c.Why = why("error", "the suite ended before", "")
	}
	s.Cases = append(s.Cases, c)
}

func why(element, message, text string) *xmlWhy {
	return &xmlWhy{XMLName: xml.Name{Local: element}, Message: view.Clean(message), Text: view.Clean(text)}
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

package conformance

import (
	"encoding/xml"
	"io"
	"time"

	"kinit/cmd/kinit/junit"
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
	Cases     []junit.Case
}

// WriteJUnit writes the result as JUnit XML: a suite for each group, and a case for each test. A test
// that did not run is an error, because it has not passed.
func WriteJUnit(w io.Writer, r *Result) error { return junit.Encode(w, r.document()) }

func (r *Result) document() *xmlSuites {
	name := "conformance." + view.Clean(r.Cluster)
	all := &xmlSuites{Name: name, Time: junit.Seconds(r.Took())}
	byGroup := map[string]*xmlSuite{}
	took := map[string]time.Duration{}
	for _, t := range r.Tests {
		group := t.Group()
		s := byGroup[group]
		if s == nil {
			s = &xmlSuite{Name: name + "." + view.Clean(group), Timestamp: junit.Stamp(r.Started)}
			byGroup[group] = s
			all.Suites = append(all.Suites, s)
		}
		s.add(t)
		took[group] += t.Took
		s.Time = junit.Seconds(took[group])
	}
	if r.Problem != "" {
		s := &xmlSuite{Name: name, Timestamp: junit.Stamp(r.Started), Time: junit.Seconds(0), Tests: 1, Errors: 1}
		s.Cases = []junit.Case{{ClassName: name, Name: "the suite", Time: junit.Seconds(0), Why: junit.NewWhy(junit.Error, r.Problem, "", r.Problem)}}
		all.Suites = append(all.Suites, s)
	}
	for _, s := range all.Suites {
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	return all
}

func (s *xmlSuite) add(t Test) {
	c := junit.Case{ClassName: s.Name, Name: view.Clean(t.Name), Time: junit.Seconds(t.Took)}
	s.Tests++
	switch t.State {
	case Failed:
		s.Failures++
		c.Why = junit.NewWhy(junit.Failure, t.Error, "", t.Detail)
	case Skipped:
		s.Skipped++
		c.Why = junit.NewWhy(junit.Skipped, t.Error, "", "")
	case NotRun:
		s.Errors++
		c.Why = junit.NewWhy(junit.Error, "the suite ended before", "", "")
	}
	s.Cases = append(s.Cases, c)
}

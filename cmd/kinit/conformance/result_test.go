package conformance

import (
	"bytes"
	"encoding/xml"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kinit/cmd/kinit/view"
	"kinit/test/golden"
)

func sample() *Result {
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Result{
		Spec: "site.hcl", Cluster: "shop", Release: "v1.34.4", Program: "v1", Focus: `\[Conformance\]`, Parallel: 2,
		Started: started, Ended: started.Add(95 * time.Second),
		Tests: []Test{
			{Name: "[sig-apps] A <b>rolls</b> [Conformance]", State: Passed, Took: 1500 * time.Millisecond},
			{Name: "[sig-apps] B [Conformance]", State: Failed, Took: time.Minute, Error: "timed out & gone\x1b[31m", Detail: "timed out & gone\nin the end"},
			{Name: "[sig-node] C [Conformance]", State: Skipped, Error: "needs another cloud"},
			{Name: "[sig-node] D [Conformance]", State: NotRun},
			{Name: "E", State: Passed, Took: time.Second},
		},
	}
}

func TestTalliesCountEachGroup(t *testing.T) {
	t.Parallel()
	want := []Tally{
		{Group: "other", Passed: 1},
		{Group: "sig-apps", Passed: 1, Failed: 1},
		{Group: "sig-node", Skipped: 1, NotRun: 1},
	}
	if got := sample().Tallies(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	all := sample()
	for want, r := range map[string]*Result{
		"Failed: 1 of 5 tests, and 1 did not run, in 1m35s":            all,
		"Failed: 1 of 4 tests, in 1m35s":                               with(all, Passed, Failed, Skipped),
		"Passed: 2 tests in 1m35s; 1 do not apply to this cluster":     with(all, Passed, Skipped),
		"Passed: all 2 tests in 1m35s":                                 with(all, Passed),
		"Failed after 1m35s: 1 of 3 tests did not run":                 with(all, Passed, NotRun),
		"Interrupted after 1m35s: 2 of 3 tests ran, 0 failed":          interruptedAt(with(all, Passed, NotRun)),
		"Failed after 1m35s: 0 of 2 tests did not run: no nodes ready": troubled(with(all, Passed)),
	} {
		want, _, _ = strings.Cut(want, ": no nodes ready")
		if got := Verdict(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if good := strings.HasPrefix(want, "Passed"); r.Good() != good {
			t.Errorf("%s: good is %v", want, r.Good())
		}
	}
}

func with(r *Result, states ...State) *Result {
	part := *r
	part.Tests = nil
	for _, state := range states {
		part.Tests = append(part.Tests, r.Of(state)...)
	}
	return &part
}

func interruptedAt(r *Result) *Result { r.Interrupted = true; return r }
func troubled(r *Result) *Result      { r.Problem = "no nodes ready"; return r }

func TestWhatDidNotEndWasNotRun(t *testing.T) {
	t.Parallel()
	got := collect([]string{"b", "a"}, []Test{{Name: "b", State: Failed}})
	if want := []Test{{Name: "a", State: NotRun}, {Name: "b", State: Failed}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestJUnitHasASuiteAGroup(t *testing.T) {
	t.Parallel()
	r := troubled(sample())
	var out bytes.Buffer
	if err := WriteJUnit(&out, r); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "junit.xml"), out.String())
	if err := xml.Unmarshal(out.Bytes(), new(struct{})); err != nil {
		t.Errorf("it is no XML: %v", err)
	}
}

func TestThePageShowsTheResultAndNothingElse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := WritePage(&out, sample()); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"<h1>Failed: 1 of 5 tests, and 1 did not run, in 1m35s</h1>",
		`<header class="verdict bad">`,
		"[sig-apps] A &lt;b&gt;rolls&lt;/b&gt; [Conformance]",
		`<span class="error">timed out &amp; gone</span>`,
		"<tr><td>sig-apps</td><td>1</td><td class=\"some\">1</td><td>0</td><td>0</td></tr>",
		`<li>[sig-node] C [Conformance] <span class="why">needs another cloud</span></li>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"\x1b", "<script", "http://", "https://"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

func TestProgressWithoutATerminalIsALineAFailureAndAMinute(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &Progress{options: ProgressOptions{Out: view.Screen{Writer: &out}, Total: 5, Now: func() time.Time { return now }}, started: now, said: now, stop: make(chan struct{})}
	p.Ended(sample().Tests[0])
	p.Ended(sample().Tests[1])
	now = now.Add(59 * time.Second)
	p.beat()
	now = now.Add(time.Second)
	p.beat()
	p.Notice("stopping")
	p.Close()
	want := "failed  [sig-apps] B [Conformance]  1m00s\n        timed out & gone\n2 of 5 tests, 1 failed, 1m00s\nstopping\n"
	if got := out.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestProgressOnATerminalRedrawsOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(0, 0)
	screen := view.Screen{Writer: &out, Size: func() (int, int) { return 40, 10 }, Colour: true}
	p := &Progress{options: ProgressOptions{Out: screen, Total: 5, Now: func() time.Time { return now }}, started: now, said: now, stop: make(chan struct{})}
	p.beat()
	p.Ended(sample().Tests[1])
	p.beat()
	p.Close()
	want := "0 of 5 tests, 0 failed, 0.0s\r\x1b[2K\x1b[31mfailed  \x1b[0m[sig-apps] B [Conformance]  1m00s\n        timed out & gone\n" +
		"1 of 5 tests, 1 failed, 0.0s  [sig-apps\r\x1b[2K"
	if got := out.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

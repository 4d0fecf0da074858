package main

import (
	"strings"
	"testing"
	"time"
)

// stream is what "go test -json" prints, shortened.
func stream(lines ...string) *strings.Reader { return strings.NewReader(strings.Join(lines, "\n")) }

const (
	passed   = `{"Action":"pass","Package":"p","Test":"TestA"}`
	failed   = `{"Action":"fail","Package":"p","Test":"TestB"}`
	skipped  = `{"Action":"skip","Package":"p","Test":"TestC/x"}`
	pkgOK    = `{"Action":"pass","Package":"p","Elapsed":1.5}`
	pkgBroke = `{"Action":"fail","Package":"q","Elapsed":0}`
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		lines   []string
		noSkips bool
		maySkip string
		good    bool
		count   string
	}{
		"all pass":                    {[]string{passed, pkgOK}, true, "", true, "1 passed, 0 failed, 0 skipped"},
		"a failure":                   {[]string{passed, failed, pkgOK}, false, "", false, "1 passed, 1 failed, 0 skipped"},
		"a package that is broken":    {[]string{passed, pkgOK, pkgBroke}, false, "", false, "1 passed, 1 failed, 0 skipped"},
		"nothing ran":                 {[]string{pkgOK}, false, "", false, "0 passed, 0 failed, 0 skipped"},
		"a skip counts":               {[]string{passed, skipped, pkgOK}, false, "", true, "1 passed, 0 failed, 1 skipped"},
		"a skip where none may be":    {[]string{passed, skipped, pkgOK}, true, "", false, "1 passed, 0 failed, 1 skipped"},
		"a skip that may be":          {[]string{passed, skipped, pkgOK}, true, "TestC/", true, "1 passed, 0 failed, 1 skipped"},
		"one of two that may be":      {[]string{passed, skipped, pkgOK}, true, "TestD/,TestC/", true, "1 passed, 0 failed, 1 skipped"},
		"another skip than may be":    {[]string{passed, skipped, pkgOK}, true, "TestD/", false, "1 passed, 0 failed, 1 skipped"},
		"no JSON is passed on, alone": {[]string{"hello"}, false, "", false, "0 passed, 0 failed, 0 skipped"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			tally := read(stream(c.lines...), &out, time.Now)
			if got := tally.report(&out, c.noSkips, c.maySkip); got != c.good {
				t.Errorf("good is %v, want %v", got, c.good)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if last := lines[len(lines)-1]; last != c.count {
				t.Errorf("last line %q, want %q", last, c.count)
			}
		})
	}
}

func TestTestsThatDidNotRunAgainAreCountedApart(t *testing.T) {
	t.Parallel()
	const (
		again  = `{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\n"}`
		other  = `{"Action":"pass","Package":"q","Test":"TestA"}`
		inTest = `{"Action":"output","Package":"q","Test":"TestA","Output":"ok p (cached)\n"}`
		ran    = `{"Action":"output","Package":"q","Output":"ok  \tq\t0.1s\n"}`
		qOK    = `{"Action":"pass","Package":"q","Elapsed":0.1}`
	)
	var out strings.Builder
	tally := read(stream(passed, again, pkgOK, inTest, other, ran, qOK), &out, time.Now)
	if !tally.report(&out, true, "") {
		t.Error("not good")
	}
	want := "ok    p  unchanged\nok    q  0.1s\n" +
		"passed before, in packages that have not changed since: 1\n2 passed, 0 failed, 0 skipped\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestAFailureIsToldOnceMoreAtTheEnd(t *testing.T) {
	t.Parallel()
	const (
		begins   = `{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}`
		progress = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: progress: one\n"}`
		wrong    = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:2: wrong\n"}`
	)
	var out strings.Builder
	tally := read(stream(begins, progress, wrong, failed, passed), &out, time.Now)
	tally.report(&out, false, "")
	want := "    b_test.go:1: progress: one\n" +
		"=== RUN   TestB\n    b_test.go:1: progress: one\n    b_test.go:2: wrong\n" +
		"failed: p TestB\n    b_test.go:2: wrong\n1 passed, 1 failed, 0 skipped\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestATestThatTookTooLongFailsAndSaysWhere(t *testing.T) {
	t.Parallel()
	const (
		begins = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: progress: one\n"}`
		late   = `{"Action":"output","Package":"p","Test":"TestB","Output":"panic: test timed out after 1h0m0s\n"}`
		where  = `{"Action":"output","Package":"p","Test":"TestB","Output":"\trunning tests: TestB (58m0s)\n"}`
		ended  = `{"Action":"fail","Package":"p","Elapsed":3600}`
	)
	var out strings.Builder
	tally := read(stream(begins, late, where, passed, ended), &out, time.Now)
	if tally.report(&out, false, "") {
		t.Error("good")
	}
	const said = "panic: test timed out after 1h0m0s\n\trunning tests: TestB (58m0s)\n"
	want := "    b_test.go:1: progress: one\n" + "    b_test.go:1: progress: one\n" + said + "FAIL  p  3600.0s\n" +
		"failed: p TestB\n" + said + "1 passed, 1 failed, 0 skipped\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestSlowTestsAndPartsAreListedWithTheirTimes(t *testing.T) {
	t.Parallel()
	clock := time.Unix(0, 0)
	now := func() time.Time { clock = clock.Add(65 * time.Second); return clock }
	var out strings.Builder
	tally := read(stream(
		"part units",
		`{"Action":"pass","Package":"p","Test":"TestA","Elapsed":2.5}`,
		`{"Action":"pass","Package":"p","Test":"TestA/sub","Elapsed":2.4}`,
		`{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0.5}`,
		`{"Action":"pass","Package":"q","Test":"TestC","Elapsed":12}`,
		"part end to end",
		pkgOK,
	), &out, now)
	tally.parts = append(parts("lint=95,artifacts=3"), tally.parts...)
	if !tally.report(&out, true, "") {
		t.Error("the run is not good")
	}
	const want = `ok    p  1.5s
slow:    12.0s  q TestC
slow:     2.5s  p TestA
part:    1 min 35 s  lint
part:    0 min 03 s  artifacts
part:    1 min 05 s  units
part:    1 min 05 s  end to end
part:    3 min 48 s  in all
4 passed, 0 failed, 0 skipped
`
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestSkippedTestSaysWhyInOneLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tally := read(stream(
		`{"Action":"output","Package":"p","Test":"TestC/x","Output":"=== RUN   TestC/x\n"}`,
		`{"Action":"output","Package":"p","Test":"TestC/x","Output":"    c_test.go:7: the variable X names no folder\n"}`,
		`{"Action":"output","Package":"p","Test":"TestC/x","Output":"--- SKIP: TestC/x (0.00s)\n"}`,
		skipped, passed, pkgOK,
	), &out, time.Now)
	out.Reset()
	if !tally.report(&out, true, "TestC/") {
		t.Error("the run is not good")
	}
	if want := "skipped: p TestC/x: the variable X names no folder\n1 passed, 0 failed, 1 skipped\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

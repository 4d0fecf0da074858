// Command summary reads the output of "go test -json" and prints it for people:
// failures with their output, a line per package, and an honest count at the end.
//
// It fails when a test failed, when none ran, or, with -no-skips, when one was
// skipped. A line "part NAME" in the stream begins a part of the run: before the count, the
// summary lists how long each part took, and the slowest tests.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"time"
)

// event is one line of "go test -json"; see "go doc test2json".
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// tally counts the tests that ended, sub-tests included.
type tally struct {
	passed, failed, skipped int
	cached                  int            // of passed: not run again, as Go found nothing changed
	of                      map[string]int // package → passed
	broken                  []string       // packages that failed without a failing test
	skips                   []string       // with the reason
	failures                []failure
	slowest                 []timed // top-level tests
	parts                   []timed
}

// timed is a part of the run or a test, and how long it took.
type timed struct {
	name string
	took time.Duration
}

// failure is what a failed test printed.
type failure struct {
	name   string
	output []string
}

func main() {
	noSkips := flag.Bool("no-skips", false, "a skipped test is a failure")
	maySkip := flag.String("may-skip", "", "tests that may be skipped all the same, by the beginnings of their names, with commas between")
	before := flag.String("before", "", "parts that ended before the stream, such as \"lint=95,artifacts=3\", in seconds")
	flag.Parse()
	t := read(os.Stdin, os.Stdout, time.Now)
	t.parts = append(parts(*before), t.parts...)
	if !t.report(os.Stdout, *noSkips, *maySkip) {
		os.Exit(1)
	}
}

// read follows the stream, printing as it goes so that a long run shows life.
func read(in io.Reader, out io.Writer, now func() time.Time) tally {
	t := tally{of: map[string]int{}}
	var began time.Time
	end := func() {
		if len(t.parts) > 0 {
			t.parts[len(t.parts)-1].took = now().Sub(began)
		}
	}
	output := map[string][]string{}
	failed := map[string]bool{}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	for lines.Scan() {
		var e event
		if name, ok := strings.CutPrefix(lines.Text(), "part "); ok {
			end()
			began = now()
			t.parts = append(t.parts, timed{name: name})
			continue
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(out, lines.Text())
			continue
		}
		t.take(e, output, failed, out)
	}
	end()
	return t
}

// parts parses the flag -before.
func parts(list string) []timed {
	var all []timed
	for pair := range strings.SplitSeq(list, ",") {
		name, seconds, ok := strings.Cut(pair, "=")
		if took, err := time.ParseDuration(seconds + "s"); ok && err == nil {
			all = append(all, timed{name, took})
		}
	}
	return all
}

func (t *tally) take(e event, output map[string][]string, failed map[string]bool, out io.Writer) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		output[key] = append(output[key], e.Output)
		if e.Test != "" && strings.HasPrefix(e.Output, "    ") && strings.Contains(e.Output, "progress: ") {
			fmt.Fprint(out, e.Output)
		}
	case "pass", "skip", "fail":
		if e.Test == "" {
			t.endUnfinished(e, output, failed, out)
			t.endPackage(e, output[key], failed[e.Package], out)
		} else {
			t.endTest(e, output[key], failed, out)
		}
		delete(output, key)
	case "build-fail":
		fmt.Fprint(out, strings.Join(output[key], ""))
	}
}

func (t *tally) endTest(e event, output []string, failed map[string]bool, out io.Writer) {
	if !strings.Contains(e.Test, "/") {
		t.slowest = append(t.slowest, timed{e.Package + " " + e.Test, time.Duration(e.Elapsed * float64(time.Second))})
	}
	switch e.Action {
	case "pass":
		t.passed++
		t.of[e.Package]++
	case "skip":
		t.skipped++
		t.skips = append(t.skips, e.Package+" "+e.Test+reason(output))
	case "fail":
		t.failed++
		failed[e.Package] = true
		t.failures = append(t.failures, failure{e.Package + " " + e.Test, output})
		fmt.Fprint(out, strings.Join(output, ""))
	}
}

// reason is why a test was skipped, behind a colon: what it printed last, without the place.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if place, why, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(place, "    ") && strings.Contains(place, ".go:") {
			return ": " + strings.TrimSpace(why)
		}
	}
	return ""
}

// endUnfinished counts the tests as failed that had not ended when their package did: it
// panicked, or took too long.
func (t *tally) endUnfinished(e event, output map[string][]string, failed map[string]bool, out io.Writer) {
	if e.Action != "fail" {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(output)) {
		if name, ok := strings.CutPrefix(key, e.Package+" "); ok && name != "" {
			t.endTest(event{Action: "fail", Package: e.Package, Test: name}, output[key], failed, out)
			delete(output, key)
		}
	}
}

func (t *tally) endPackage(e event, output []string, hasFailure bool, out io.Writer) {
	switch e.Action {
	case "pass":
		took := fmt.Sprintf("%.1fs", e.Elapsed)
		if strings.Contains(strings.Join(output, ""), "(cached)") {
			took = "unchanged"
			t.cached += t.of[e.Package]
		}
		fmt.Fprintf(out, "ok    %s  %s\n", e.Package, took)
	case "fail":
		fmt.Fprintf(out, "FAIL  %s  %.1fs\n", e.Package, e.Elapsed)
		if !hasFailure {
			t.broken = append(t.broken, e.Package)
			fmt.Fprint(out, strings.Join(output, ""))
		}
	}
}

// report prints the count and says whether the run is good.
func (t *tally) report(out io.Writer, noSkips bool, maySkip string) bool {
	for _, f := range t.failures {
		f.print(out)
	}
	sort.Strings(t.skips)
	for _, name := range t.skips {
		fmt.Fprintln(out, "skipped:", name)
	}
	for _, name := range t.broken {
		fmt.Fprintln(out, "did not build or run:", name)
	}
	t.printTimes(out)
	if t.cached > 0 {
		fmt.Fprintf(out, "passed before, in packages that have not changed since: %d\n", t.cached)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed+len(t.broken), t.skipped)
	good := t.failed == 0 && len(t.broken) == 0 && t.passed > 0
	return good && !(noSkips && t.mustRun(maySkip))
}

// slow is how many of the slowest tests are listed.
const slow = 20

// printTimes lists the slowest tests of at least a second, and how long each part took. Tests of a
// package run beside each other, so their times do not add up.
func (t *tally) printTimes(out io.Writer) {
	slices.SortStableFunc(t.slowest, func(a, b timed) int { return int(b.took - a.took) })
	for _, test := range t.slowest[:min(slow, len(t.slowest))] {
		if test.took >= time.Second {
			fmt.Fprintf(out, "slow: %7.1fs  %s\n", test.took.Seconds(), test.name)
		}
	}
	var all time.Duration
	for _, part := range t.parts {
		fmt.Fprintf(out, "part: %4d min %02d s  %s\n", int(part.took.Minutes()), int(part.took.Seconds())%60, part.name)
		all += part.took
	}
	if len(t.parts) > 0 {
		fmt.Fprintf(out, "part: %4d min %02d s  in all\n", int(all.Minutes()), int(all.Seconds())%60)
	}
}

// shown is how many of the lines of a failed test are printed once more at the end.
const shown = 60

// print prints the end of what a failed test printed, without its progress: it may have
// scrolled away by what other tests printed after it. A panic, as that of a test that takes
// too long, says first what happened, and then what all goroutines did.
func (f failure) print(out io.Writer) {
	said := slices.DeleteFunc(slices.Clone(f.output), func(line string) bool {
		return strings.Contains(line, "progress: ") || strings.HasPrefix(line, "=== ")
	})
	said = said[max(0, len(said)-shown):]
	if i := slices.IndexFunc(f.output, func(line string) bool { return strings.HasPrefix(line, "panic: ") }); i >= 0 {
		said = f.output[i:min(len(f.output), i+shown)]
	}
	fmt.Fprintf(out, "failed: %s\n%s", f.name, strings.Join(said, ""))
}

// mustRun reports whether a test was skipped that may not be.
func (t *tally) mustRun(maySkip string) bool {
	for _, name := range t.skips {
		_, test, _ := strings.Cut(name, " ")
		may := func(name string) bool { return name != "" && strings.HasPrefix(test, name) }
		if !slices.ContainsFunc(strings.Split(maySkip, ","), may) {
			return true
		}
	}
	return false
}

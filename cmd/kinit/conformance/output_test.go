package conformance

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const (
	versionTest = "[sig-cli] Kubectl client Kubectl version should check is all data is printed [Conformance]"
	secretTest  = "[sig-node] Secrets should fail to create secret due to empty secret key [Conformance]"
	cloudTest   = "[sig-network] DNS should provide DNS for the cluster [Provider:GCE]"
)

// read gives the recorded output of a suite to the reader, and returns what it told.
func read(t *testing.T, file string, names ...string) (ended []Test, problem string) {
	t.Helper()
	content, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	out := newOutput(names, func(test Test) { ended = append(ended, test) }, func(text string) { problem = text })
	lines := bufio.NewScanner(content)
	for lines.Scan() {
		out.line(lines.Text())
	}
	out.end()
	return ended, problem
}

func TestRecordedOutputOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	ended, problem := read(t, "two-processes.log", versionTest, secretTest, cloudTest)
	want := []string{
		"skipped 540ms " + cloudTest + ": Only supported for providers [gce] (not skeleton)",
		"passed 1.322s " + secretTest + ": ",
		"failed 1.851s " + versionTest + ": " + cannotStart("kubectl-7586"),
	}
	if got := brief(ended); !reflect.DeepEqual(got, want) || problem != "" {
		t.Errorf("got %q, problem %q\nwant %q", got, problem, want)
	}
}

func TestRecordedOutputOfOneProcess(t *testing.T) {
	t.Parallel()
	ended, problem := read(t, "one-process.log", versionTest, secretTest, cloudTest)
	want := []string{
		"failed 404ms " + versionTest + ": " + cannotStart("kubectl-9883"),
		"skipped 102ms " + cloudTest + ": Only supported for providers [gce] (not skeleton)",
		"passed 73ms " + secretTest + ": ",
	}
	if got := brief(ended); !reflect.DeepEqual(got, want) || problem != "" {
		t.Errorf("got %q, problem %q\nwant %q", got, problem, want)
	}
}

func cannotStart(namespace string) string {
	return "error starting /nonexistent/kubectl --server=https://192.0.2.10:6443 --kubeconfig=/kubeconfig --namespace=" + namespace + " version: fork/exec /nonexistent/kubectl: no such file or directory"
}

func TestASuiteThatDoesNotBeginIsAProblemAndNoTest(t *testing.T) {
	t.Parallel()
	ended, problem := read(t, "broken.log", versionTest)
	if len(ended) != 0 || !strings.HasPrefix(problem, `SynchronizedBeforeSuite: Get "https://192.0.2.10:6443/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse&resourceVersion=0": tls: failed to verify certificate`) {
		t.Errorf("tests %v, problem %q", ended, problem)
	}
}

func brief(all []Test) []string {
	var texts []string
	for _, t := range all {
		texts = append(texts, string(t.State)+" "+t.Took.String()+" "+t.Name+": "+t.Error)
	}
	return texts
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	const name = "[sig-x] A thing works [Conformance]"
	at := "\n  In [It] at: x.go:1 @ 11/22/26 13:00:00.1"
	for title, c := range map[string]struct {
		block string
		want  Test
	}{
		"a panic":    {"• [PANICKED!] [1.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1\n\n  [PANICKED] Test Panicked" + at, Test{name, Failed, time.Second, "Test Panicked", "Test Panicked"}},
		"time is up": {"• [TIMEDOUT] [2.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1\n\n  [TIMEDOUT] A node timed out" + at, Test{name, Failed, 2 * time.Second, "A node timed out", "A node timed out"}},
		"a failure before the test": {"• [FAILED] [1.000 seconds]\n[sig-x] A thing [BeforeEach] works [Conformance] [sig-x]\n  [BeforeEach] y.go:2\n  [It] x.go:1\n\n  [FAILED] no\n  at all" + at,
			Test{name, Failed, time.Second, "no", "no\nat all"}},
		"an error that was unexpected": {"• [FAILED] [1.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1\n\n  [FAILED] Unexpected error:\n      <*errors.StatusError | 0xc00>: \n      the server is busy\n  occurred" + at,
			Test{name, Failed, time.Second, "the server is busy", "Unexpected error:\n    <*errors.StatusError | 0xc00>: \n    the server is busy\noccurred"}},
		"an interrupt":             {"• [INTERRUPTED] [1.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1\n\n  [INTERRUPTED] Interrupted by User" + at, Test{name, NotRun, time.Second, "Interrupted by User", "Interrupted by User"}},
		"a failure by interrupt":   {"• [FAILED] [1.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1\n\n  [FAILED] An interrupt occurred and then this: x" + at, Test{name, NotRun, time.Second, "An interrupt occurred and then this: x", "An interrupt occurred and then this: x"}},
		"a second attempt":         {"R [FLAKEY TEST - TOOK 2 ATTEMPTS TO PASS] [1.000 seconds]\n[sig-x] A thing works [Conformance] [sig-x]\nx.go:1", Test{Name: name, State: Passed, Took: time.Second}},
		"a failure without reason": {"• [FAILED] [1.000 seconds]\n[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1", Test{name, Failed, time.Second, "it gave no reason", "[sig-x] A thing [It] works [Conformance] [sig-x]\nx.go:1"}},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			var got []Test
			out := newOutput([]string{"[sig-x] A thing works", name}, func(test Test) { got = append(got, test) }, func(string) {})
			for line := range strings.Lines(delimiter + "\n" + c.block + "\n" + delimiter + "\n") {
				out.line(line)
			}
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestALongTestKeepsItsEnd(t *testing.T) {
	t.Parallel()
	var got []Test
	out := newOutput([]string{"[sig-x] A"}, func(test Test) { got = append(got, test) }, func(string) {})
	out.line("• [FAILED] [1.000 seconds]")
	out.line("[sig-x] [It] A [sig-x]")
	for range 3 * maxBlock {
		out.line("  talk")
	}
	out.line("  [FAILED] why")
	out.line("  In [It] at: x.go:1")
	out.line(delimiter)
	if want := []Test{{"[sig-x] A", Failed, time.Second, "why", "why"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(out.block) != 0 || cap(out.block) > 3*maxBlock {
		t.Errorf("%d of %d lines are kept", len(out.block), cap(out.block))
	}
}

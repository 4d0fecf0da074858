package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kinit/test/executable"
)

// suite makes a folder with programs that are shell scripts.
func suite(t *testing.T, inside, tests, ginkgo string) string {
	t.Helper()
	folder := t.TempDir()
	in := filepath.Join(folder, inside)
	if err := os.MkdirAll(in, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"e2e.test": tests, "ginkgo": ginkgo} {
		executable.Write(t, filepath.Join(in, name), "#!/bin/sh\n"+script)
	}
	return folder
}

func TestASuiteIsFoundAsKinitAndAsTheReleaseHaveIt(t *testing.T) {
	t.Parallel()
	for _, inside := range []string{".", "kubernetes/test/bin", "test/bin"} {
		folder := suite(t, inside, "", "")
		found, err := Find(folder)
		if err != nil {
			t.Fatal(err)
		}
		in := filepath.Join(folder, inside)
		if want := (&Suite{Tests: filepath.Join(in, "e2e.test"), Ginkgo: filepath.Join(in, "ginkgo")}); !reflect.DeepEqual(found, want) {
			t.Errorf("got %+v, want %+v", found, want)
		}
	}
	if _, err := Find(t.TempDir()); !errors.Is(err, ErrNoSuite) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestTheSuiteIsAskedForItsTestsAndVersion(t *testing.T) {
	t.Parallel()
	found, err := Find(suite(t, ".", `case "$1" in
--version) echo v1.34.4 ;;
--list-tests) printf "The following names can be used:\n    k8s.io/x.go:1: [sig-x] A: b [Conformance]\n    k8s.io/x.go:2: [sig-x] A: c [Slow] [Conformance]\n    k8s.io/x.go:2: [sig-y] d\n" ;;
esac
`, ""))
	if err != nil {
		t.Fatal(err)
	}
	names, err := found.List(t.Context(), `\[Conformance\]`, "Slow")
	if want := []string{"[sig-x] A: b [Conformance]"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, %v, want %q", names, err, want)
	}
	if version, err := found.Version(t.Context()); version != "v1.34.4" || err != nil {
		t.Errorf("got %q, %v", version, err)
	}
	if _, err := found.List(t.Context(), "x", "["); err == nil || !strings.HasPrefix(err.Error(), "read the expression of --skip: ") {
		t.Errorf("a broken expression: %v", err)
	}
}

func TestASuiteThatFailsToAnswerSaysWhy(t *testing.T) {
	t.Parallel()
	folder := suite(t, ".", "echo no such flag >&2; exit 2\n", "")
	found, err := Find(folder)
	if err != nil {
		t.Fatal(err)
	}
	_, err = found.Version(t.Context())
	if want := "ask the suite with " + folder + "/e2e.test --version: exit status 2: no such flag"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func start(t *testing.T, ctx context.Context, script string, grace time.Duration) (*Outcome, []Test, string, error) {
	t.Helper()
	found, err := Find(suite(t, ".", "", script))
	if err != nil {
		t.Fatal(err)
	}
	var ended []Test
	var log bytes.Buffer
	outcome, err := found.Start(ctx, Run{
		Kubeconfig: "kc", Home: t.TempDir(), Planned: []string{"[sig-x] A", "[sig-x] B"}, Focus: "x", Parallel: 3, Log: &log,
		Environ: os.Environ(), Ended: func(test Test) { ended = append(ended, test) }, Grace: grace,
	})
	return outcome, ended, log.String(), err
}

const passA = `echo ------------------------------
echo '• [1.500 seconds]'
echo '[sig-x] A [sig-x]'
echo ------------------------------
`

func TestTestsAreToldAsTheyEnd(t *testing.T) {
	t.Parallel()
	outcome, ended, log, err := start(t, t.Context(), passA, time.Second)
	a := Test{Name: "[sig-x] A", State: Passed, Took: 1500 * time.Millisecond}
	want := &Outcome{Tests: []Test{a, {Name: "[sig-x] B", State: NotRun}}}
	if err != nil || !reflect.DeepEqual(outcome, want) || !reflect.DeepEqual(ended, []Test{a}) {
		t.Errorf("got %+v, %v, %v", outcome, ended, err)
	}
	if !strings.Contains(log, "[sig-x] A [sig-x]\n") {
		t.Errorf("the log is %q", log)
	}
}

func TestACodeWithoutAFailedTestIsAProblem(t *testing.T) {
	t.Parallel()
	outcome, _, _, err := start(t, t.Context(), passA+"exit 197\n", time.Second)
	if err != nil || outcome.Problem != "the suite ended with exit status 197" {
		t.Errorf("got %+v, %v", outcome, err)
	}
}

func TestASuiteThatIgnoresAnInterruptIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	started := time.Now()
	// The child holds the output open, and would for ten minutes.
	outcome, _, _, err := start(t, ctx, "trap '' INT\n"+passA+"sleep 600 &\nwhile :; do sleep 600; done\n", 300*time.Millisecond)
	if err != nil || !outcome.Interrupted || outcome.Problem != "" || outcome.Tests[0].State != Passed {
		t.Errorf("got %+v, %v", outcome, err)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

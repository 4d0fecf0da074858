//go:build linux && (amd64 || arm64)

package exectrace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"kinit/test/exectrace"
)

func TestMain(m *testing.M) {
	exectrace.Enter()
	os.Exit(m.Run())
}

// has counts the events of a kind that have exactly these words.
func has(events []exectrace.Event, kind exectrace.Kind, words ...string) int {
	n := 0
	for _, e := range events {
		if e.Kind == kind && slices.Equal(e.Words, words) {
			n++
		}
	}
	return n
}

// TestNoProcessIsTooShortToBeSeen starts programs that end at once, at the same time, and
// shells that become another program at once.
func TestNoProcessIsTooShortToBeSeen(t *testing.T) {
	const programs, shells = 300, 100
	if exectrace.Inside() {
		var started []*exec.Cmd
		for n := range programs {
			cmd := exec.Command("true", fmt.Sprint("program ", n))
			if n%3 == 0 { // whom root alone may look into
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started = append(started, cmd)
		}
		for _, cmd := range started {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		for n := range shells {
			if out, err := exec.Command("sh", "-c", `exec /bin/true "after $0"`, fmt.Sprint("shell ", n)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
		return
	}
	path, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	events := exectrace.Again(t)
	for n := range programs {
		if got := has(events, exectrace.Exec, path, "true", fmt.Sprint("program ", n)); got != 1 {
			t.Errorf("program %d was seen %d times", n, got)
		}
	}
	for n := range shells {
		if got := has(events, exectrace.Exec, "/bin/true", "/bin/true", fmt.Sprint("after shell ", n)); got != 1 {
			t.Errorf("what shell %d became was seen %d times", n, got)
		}
	}
}

// TestNamesAndTitlesAreSeen lets a shell make files, folders and links, and give itself a
// name.
func TestNamesAndTitlesAreSeen(t *testing.T) {
	const folder = "/tmp/kinit-exectrace"
	if exectrace.Inside() {
		script := `rm -rf "$1"; mkdir "$1"; : >"$1/made"; mv "$1/made" "$1/moved"; ln -s pointed "$1/link"; cat "$1/moved"; rm -r "$1"
printf other-name >/proc/$$/comm; exit 0`
		if out, err := exec.Command("sh", "-ec", script, "sh", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	events := exectrace.Again(t)
	for _, words := range [][]string{
		{folder}, {filepath.Join(folder, "made")},
		{filepath.Join(folder, "made"), filepath.Join(folder, "moved")}, {"pointed", filepath.Join(folder, "link")},
	} {
		if has(events, exectrace.File, words...) == 0 {
			t.Errorf("nothing made %q", words)
		}
	}
	if n := has(events, exectrace.File, filepath.Join(folder, "moved")); n != 0 {
		t.Errorf("what was only read was seen %d times as made", n)
	}
	titles := 0
	for _, e := range events {
		if e.Kind == exectrace.Title && len(e.Words) == 2 && e.Words[1] == "other-name" && strings.HasPrefix(e.Words[0], "sh\x00-ec\x00rm -rf") {
			titles++
		}
	}
	if titles != 1 {
		t.Errorf("the shell was seen %d times at its end with its other name", titles)
	}
}

func TestAFailureUnderTheTracerIsOneHere(t *testing.T) {
	_, output, err := exectrace.Run([]string{"/bin/sh", "-c", "echo said; exit 3"})
	if err == nil || err.Error() != "exit status 3" || output != "said\n" {
		t.Errorf("error %v, output %q", err, output)
	}
}

// TestAProcessThatIsLeftIsSeenAsLongAsItIsThere leaves a process behind that starts another.
func TestAProcessThatIsLeftIsSeenAsLongAsItIsThere(t *testing.T) {
	events, output, err := exectrace.Run([]string{"/bin/sh", "-c", "(sleep 0.3; true; exec /bin/true late) >/dev/null 2>&1 </dev/null &"})
	if err != nil || output != "" {
		t.Fatalf("error %v, output %q", err, output)
	}
	if n := has(events, exectrace.Exec, "/bin/true", "/bin/true", "late"); n != 1 {
		t.Errorf("the process that was left was seen %d times", n)
	}
}

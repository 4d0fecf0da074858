package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/test/program"
)

// The lab of these tests, beside a user's own.
const (
	labName   = "e2e"
	labSubnet = "10.78.0.0/24"
	hosts     = "nyctea,tyto"

	hostsReversed = "tyto,nyctea"
)

// kinit is the program with folders of its own, so that it finds no inventory of
// the user's. Artifacts are the user's: building them takes long.
type kinit struct {
	bin  string
	root string // the repository
	home string // of config and state
}

// event is what the tests read of "--output json".
type event struct {
	Kind     string        `json:"kind"`
	Task     string        `json:"task"`
	Host     string        `json:"host"`
	Stage    string        `json:"stage"`
	Status   string        `json:"status"`
	Message  string        `json:"message"`
	Steps    []string      `json:"steps"`
	Duration time.Duration `json:"duration"`
	Progress struct {
		Text string `json:"text"`
	} `json:"progress"`
}

// result is what a finished call came to.
type result struct {
	code   int
	events []event
	stdout string
	stderr string
	took   time.Duration
}

func build(t testing.TB) *kinit {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &kinit{bin: program.Build(t), root: root, home: t.TempDir()}
}

// patience is how long one call may take, also where guests are emulated.
const patience = 30 * time.Minute

// command is a call of the program. When ctx ends, the program prints what its goroutines do,
// and ends.
func (k *kinit) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.bin, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = time.Minute
	cmd.Dir = k.root
	cmd.Env = append(os.Environ(),
		"XDG_CONFIG_HOME="+filepath.Join(k.home, "config"), "XDG_STATE_HOME="+filepath.Join(k.home, "state"), "KINIT_INVENTORY=")
	return cmd
}

// call runs the program to its end.
func (k *kinit) call(t testing.TB, args ...string) result {
	t.Helper()
	var stdout, stderr strings.Builder
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := k.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("start kinit: %v", err)
	}
	r := result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), took: time.Since(started)}
	r.events = parse(r.stdout)
	progress(t, "kinit %s: exit %d after %s", strings.Join(args, " "), r.code, r.took.Round(time.Second))
	r.inTime(ctx, t, args)
	return r
}

// must is call for what has to succeed.
func (k *kinit) must(t testing.TB, args ...string) result {
	t.Helper()
	r := k.call(t, args...)
	r.succeeds(t, args)
	return r
}

// succeeds ends the test if the command did not do what it was asked for.
func (r result) succeeds(t testing.TB, args []string) {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("kinit %s: exit %d\n%s\n%s\n%s", strings.Join(args, " "), r.code, r.failures(), tail(r.stderr, 60), tail(r.stdout, 2))
	}
}

// until starts the program and calls strike with its process as soon as an event
// arrives that matches, then waits for its end. An event has to match.
func (k *kinit) until(t testing.TB, match func(event) bool, strike func(*os.Process), args ...string) result {
	t.Helper()
	r, struck := k.perhaps(t, match, strike, args...)
	if !struck {
		t.Fatalf("kinit %s ended with %d before it could be struck\n%s\n%s", strings.Join(args, " "), r.code, r.failures(), tail(r.stderr, 40))
	}
	return r
}

// perhaps is until for events that may not come; it also returns whether one came.
func (k *kinit) perhaps(t testing.TB, match func(event) bool, strike func(*os.Process), args ...string) (result, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := k.command(ctx, append(args, "--output", "json")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := result{}
	struck := false
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		r.events = append(r.events, e)
		if !struck && match(e) {
			struck = true
			progress(t, "strike at %s %s", e.Kind, e.Task)
			strike(cmd.Process)
		}
	}
	_, _ = io.Copy(io.Discard, out) // a line too long: the process must not block
	_ = cmd.Wait()                  // how it ended is in the exit code
	r.code, r.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	r.inTime(ctx, t, args)
	return r, struck
}

// inTime ends the test if the call took too long, with what the program and the guests were
// doing then. The end of a failure's text is what a summary shows.
func (r result) inTime(ctx context.Context, t testing.TB, args []string) {
	t.Helper()
	if ctx.Err() != nil {
		t.Fatalf("%s\n%s\nkinit %s did not end within %s; tasks that had begun:\n%s",
			r.stderr, guestsNow(t), strings.Join(args, " "), patience, strings.Join(r.begun(), "\n"))
	}
}

// begun lists the tasks that began and did not end, with their last progress.
func (r result) begun() []string {
	var all []string
	progress := map[string]string{}
	for _, e := range r.events {
		task := e.Task + " on " + e.Host
		switch e.Kind {
		case "task_started":
			all = append(all, task)
		case "task_progress":
			progress[task] = ": " + e.Progress.Text
		case "task_finished":
			all = slices.DeleteFunc(all, func(t string) bool { return t == task })
		}
	}
	for i, task := range all {
		all[i] += progress[task]
	}
	return all
}

func parse(stdout string) []event {
	var events []event
	for line := range strings.Lines(stdout) {
		var e event
		if json.Unmarshal([]byte(line), &e) == nil && e.Kind != "" {
			events = append(events, e)
		}
	}
	return events
}

// finished lists the tasks that ended in a way.
func (r result) finished(status string) []string {
	var all []string
	for _, e := range r.events {
		if e.Kind == "task_finished" && e.Status == status {
			all = append(all, e.Task+" "+strings.Join(e.Steps, "; "))
		}
	}
	return all
}

// failures lists the tasks that failed, or else what the command printed for people.
func (r result) failures() string {
	if len(r.events) == 0 {
		return tail(r.stdout, 60)
	}
	var b strings.Builder
	for _, e := range r.events {
		if e.Status == "failed" || e.Status == "unreachable" {
			fmt.Fprintf(&b, "%s on %s: %s\n", e.Task, e.Host, e.Message)
		}
	}
	return b.String()
}

func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// progress tells people that something happens; the test runner shows such lines
// at once.
func progress(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Logf("progress: "+format, args...)
}

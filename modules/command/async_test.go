package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/job"
)

// detached decodes a task with async and a short poll.
func detached(t *testing.T, script, more string) module.Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), fmt.Sprintf("argv = [\"sh\", \"-c\", %q]\nasync = \"30s\"\npoll = \"20ms\"\n%s", script, more))
}

// jobs lists the folders of jobs that contain a text in one of their files.
func jobs(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("/var/tmp/kinit-job.*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if content, _ := os.ReadFile(file); strings.Contains(string(content), text) {
			found = append(found, file)
		}
	}
	return found
}

func TestAnAsyncCommandReturnsWhatItPrinted(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := detached(t, "cat; echo $NAME; echo 'to err' >&2; pwd", "stdin = \"a 'b'\\n\"\nenv = { NAME = \"the name\" }\ndir = \"/usr\"")
	moduletest.Do(t, task, h)
	got := moduletest.Outputs(t, task, h)
	moduletest.Same(t, "stdout", got["stdout"].AsString(), "a 'b'\nthe name\n/usr\n")
	moduletest.Same(t, "stderr", got["stderr"].AsString(), "to err\n")
	moduletest.Same(t, "job", got["job"].AsString(), "")
	moduletest.Same(t, "files that are left", jobs(t, "the name"), nil)
}

func TestAnAsyncCommandFailsByItsCode(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	got := moduletest.Apply(t, detached(t, "echo lines-of-7; exit 7", ""), h)
	if !strings.Contains(got, "7") || !strings.Contains(got, "lines-of-7") {
		t.Errorf("the error is %q", got)
	}
	moduletest.Same(t, "with the code among ok_codes", moduletest.Apply(t, detached(t, "exit 7", "ok_codes = [7]"), h), "")
	if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), "argv = [\"/no/such/program\"]\nasync = \"30s\"\npoll = \"20ms\""), h); !strings.Contains(got, "127") {
		t.Errorf("the error of a missing program is %q", got)
	}
	moduletest.Same(t, "files that are left", jobs(t, "lines-of-7"), nil)
}

// TestTheHostEndsAnAsyncCommandWhoseTimeIsUp: with all that it has started in its session.
func TestTheHostEndsAnAsyncCommandWhoseTimeIsUp(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := h.Path("pid")
	task := moduletest.Decode(t, Kind(), fmt.Sprintf("argv = [\"sh\", \"-c\", \"echo begins; sleep 300 & echo $! >%s; wait\"]\nasync = \"1s\"\npoll = \"20ms\"", file))
	want := "it did not end within its time and was ended by the host; its output ends with:\nbegins"
	moduletest.Same(t, "error", strings.TrimSpace(moduletest.Apply(t, task, h)), want)
	gone(t, file)
}

// TestAnInterruptEndsAnAsyncCommand: its result would never be collected.
func TestAnInterruptEndsAnAsyncCommand(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	file := h.Path("pid")
	task := detached(t, "echo interrupt-me; echo $$ >"+file+"; exec sleep 300", "")
	steps := moduletest.Steps(t, task, h)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(file); len(text) > 0 {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := steps[0].Do(ctx, h); err == nil {
		t.Error("no error after an interrupt")
	}
	gone(t, file)
	moduletest.Same(t, "files that are left", jobs(t, "interrupt-me"), nil)
}

// gone waits until the process in a file has ended.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(text))
	for range 500 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("the process %s still runs", pid)
}

// TestATaskThatDoesNotWaitNamesItsJob: the job is there until somebody has collected it.
func TestATaskThatDoesNotWaitNamesItsJob(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := moduletest.Decode(t, Kind(), fmt.Sprintf("argv = [\"sh\", \"-c\", \"until [ -e %s ]; do sleep 0.05; done\"]\nasync = \"30s\"\npoll = \"0s\"", h.Path("go")))
	moduletest.Do(t, task, h)
	j, err := job.Parse(moduletest.Outputs(t, task, h)["job"].AsString())
	if err != nil {
		t.Fatal(err)
	}
	state, err := j.Look(t.Context(), h)
	if err != nil || state != job.Running {
		t.Errorf("the job is %q, %v", state, err)
	}
	if err := j.Stop(t.Context(), h); err != nil {
		t.Error(err)
	}
	if state, err = j.Look(t.Context(), h); err != nil || state != job.Gone {
		t.Errorf("after it was ended the job is %q, %v", state, err)
	}
}

// TestAJobCanBeFoundByItsRun: a run that takes over looks for commands by these variables.
func TestAJobCanBeFoundByItsRun(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := moduletest.Decode(t, Kind(), "argv = [\"sleep\", \"300\"]\nenv = { KINIT_RUN = \"the-run\" }\nasync = \"30s\"\npoll = \"0s\"")
	moduletest.Do(t, task, h)
	j, err := job.Parse(moduletest.Outputs(t, task, h)["job"].AsString())
	if err != nil {
		t.Fatal(err)
	}
	started, err := os.ReadFile(string(j) + "/started")
	if err != nil {
		t.Fatal(err)
	}
	pid, _, _ := strings.Cut(string(started), " ")
	environ, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"KINIT_RUN=the-run", "KINIT_COMMAND=" + pid} {
		if !strings.Contains("\x00"+string(environ), "\x00"+want+"\x00") {
			t.Errorf("the process that attends the job does not have %s", want)
		}
	}
	if err := j.Stop(t.Context(), h); err != nil {
		t.Error(err)
	}
}

func TestMistakesOfAsync(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"poll = \"soon\"\nasync = \"1m\"":  `poll is "soon", want a time such as "10s", or "0s" not to wait`,
		"async = \"soon\"":                 `async is "soon", want the longest time that the program may last, such as "2h"`,
		"poll = \"0s\"":                    `poll is "0s", want async beside it: the longest time that the program may last`,
		"read_only = true\nasync = \"1m\"": "read_only runs the command while planning, want no async beside it",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), "argv = [\"true\"]\n"+args), want)
	}
}

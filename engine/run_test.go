package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
	"kinit/modules"
)

// watcher calls itself with each event.
type watcher func(event.Event)

func (w watcher) Emit(e event.Event) { w(e) }

// options are those of a run of the playbook on this machine. The playbook may
// say TMP for its own folder, where it may write.
func options(t *testing.T, playbook string) engine.Options {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "site.hcl")
	text := strings.ReplaceAll(playbook, "TMP", folder)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return engine.Options{
		Inputs: engine.Inputs{Spec: file, Hosts: []string{"localhost"}, Cwd: folder},
		Home:   folder, CacheDir: folder, Kinds: modules.All(), Redactor: &secret.Redactor{},
	}
}

// content returns a file beside the playbook, or nothing.
func content(t *testing.T, o engine.Options, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(o.Cwd, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// statuses are the ends of the tasks, by address.
func statuses(r *engine.Report) map[string]string {
	all := map[string]string{}
	for _, result := range r.Results {
		all[strings.TrimPrefix(result.Address, "task.")] = string(result.Status)
	}
	return all
}

// problems are the diagnostics as text.
func problems(r *engine.Report) string {
	if err := r.Diagnostics.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// file is the text of the task copy.NAME, which writes TMP/NAME, and may have a line more.
func file(name, content, more string) string {
	return fmt.Sprintf("task \"copy\" %q {\n  host = \"localhost\"\n  dest = \"TMP/%s\"\n  content = %q\n  %s\n}\n", name, name, content, more)
}

// first is a file with a line of text.
var first = file("first", "one\n", "")

var twoFiles = first + file("second", "sha ${task.copy.first.sha256}\n", "") + `
output "sum" { value = task.copy.first.sha256 }
`

func TestRunBringsAboutAndTheSecondChangesNothing(t *testing.T) {
	t.Parallel()
	o := options(t, twoFiles)
	first := engine.Run(t.Context(), o)
	equal(t, "first run", statuses(first), map[string]string{"copy.first": "changed", "copy.second": "changed"})
	second := engine.Run(t.Context(), o)
	equal(t, "second run", statuses(second), map[string]string{"copy.first": "ok", "copy.second": "ok"})

	// sha256 of "one\n".
	const sum = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"
	equal(t, "what the second task was given", content(t, o, "second"), "sha "+sum+"\n")
	equal(t, "outputs", second.Outputs, []engine.Output{{Name: "sum", Value: sum}})
	equal(t, "problems", problems(first)+problems(second), "")
}

func TestPlanChangesNothingAndTellsWhatWouldBe(t *testing.T) {
	t.Parallel()
	o := options(t, twoFiles)
	r := engine.Plan(t.Context(), o)
	equal(t, "plan", statuses(r), map[string]string{"copy.first": "changed", "copy.second": "changed"})
	equal(t, "files made", content(t, o, "first")+content(t, o, "second"), "")
	equal(t, "what needs another's value", r.Results[1].Steps, []string{"known after task.copy.first"})
}

// around are tasks that stand on a command, or are done whatever becomes of it.
var around = file("after", "", "depends_on = [task.command.cause]") + file("always", "", "always = true")

func TestFailureSkipsWhatStandsOnItAndNothingElse(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "command" "cause" {
  host = "localhost"
  argv = ["sh", "-c", "echo no luck >&2; exit 3"]
}
`+file("beside", "", "")+file("rescue", "", "on_failure = true")+around)
	r := engine.Run(t.Context(), o)
	equal(t, "ends", statuses(r), map[string]string{
		"command.cause": "failed", "copy.after": "skipped", "copy.beside": "changed",
		"copy.rescue": "changed", "copy.always": "changed",
	})
	// One cause, once, with its place and what the command said.
	if n := len(r.Diagnostics); n != 1 {
		t.Fatalf("%d problems, want 1: %s", n, problems(r))
	}
	text := problems(r)
	for _, want := range []string{"site.hcl:2", "code 3", "no luck"} {
		if !strings.Contains(text, want) {
			t.Errorf("the problem does not say %q:\n%s", want, text)
		}
	}
}

func TestRetryGoesOnUntilItWorksOrItsAttemptsAreOver(t *testing.T) {
	t.Parallel()
	for end, c := range map[string]struct{ attempts, tries string }{
		"changed": {attempts: "5", tries: "x\nx\nx\n"},
		"failed":  {attempts: "2", tries: "x\nx\n"},
	} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			o := options(t, `
task "command" "third" {
  host = "localhost"
  argv = ["sh", "-c", "echo x >> TMP/tries; test $(wc -l < TMP/tries) -ge 3"]
  retry {
    attempts = `+c.attempts+`
    delay    = "1ms"
  }
}
`)
			r := engine.Run(t.Context(), o)
			equal(t, "end", statuses(r), map[string]string{"command.third": end})
			equal(t, "tries", content(t, o, "tries"), c.tries)
		})
	}
}

func TestTimeoutEndsTheCommandOnTheHost(t *testing.T) {
	t.Parallel()
	for pace, want := range map[string]string{
		"1": "timed out after 2s: ",
		"2": "timed out after 4s (2s on a machine of ordinary speed; this one is 2 times slower): ",
	} {
		t.Run(pace, func(t *testing.T) {
			t.Parallel()
			o := options(t, `
host "here" {
  address   = "127.0.0.1"
  transport = "local"
  pace      = `+pace+`
}
task "command" "long" {
  host    = "here"
  argv    = ["sh", "-c", "echo $$ > TMP/pid; exec sleep 600"]
  timeout = "2s"
}
`)
			r := engine.Run(t.Context(), o)
			equal(t, "end", statuses(r), map[string]string{"command.long": "failed"})
			if !strings.Contains(problems(r), want) {
				t.Errorf("the problem does not say %q:\n%s", want, problems(r))
			}
			ended(t, strings.TrimSpace(content(t, o, "pid")))
		})
	}
}

func TestInterruptStopsTheCommandAndStillDoesWhatIsAlways(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "command" "cause" {
  host = "localhost"
  argv = ["sh", "-c", "echo $$ > TMP/pid; exec sleep 600"]
}
`+around)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Events = watcher(func(e event.Event) {
		if e.Kind == event.StepStarted && e.Task == "task.command.cause" {
			go func() {
				for content(t, o, "pid") == "" && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
		}
	})
	r := engine.Run(ctx, o)
	equal(t, "ends", statuses(r), map[string]string{"command.cause": "skipped", "copy.after": "skipped", "copy.always": "changed"})
	equal(t, "interrupted", r.Interrupted, true)
	ended(t, strings.TrimSpace(content(t, o, "pid")))
}

// ended waits until a process is gone.
func ended(t *testing.T, pid string) {
	t.Helper()
	if pid == "" {
		t.Fatal("the command did not start")
	}
	for range 2000 {
		if _, err := os.Stat("/proc/" + pid); os.IsNotExist(err) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s is still there", pid)
}

func TestWaitingIsNoChange(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "command" "later" {
  host = "localhost"
  argv = ["sh", "-c", "(sleep 0.3; touch TMP/there) >/dev/null 2>&1 &"]
}
task "wait" "there" {
  host       = "localhost"
  path       = "TMP/there"
  within     = "1m"
  depends_on = [task.command.later]
}
`)
	r := engine.Run(t.Context(), o)
	equal(t, "ends", statuses(r), map[string]string{"command.later": "changed", "wait.there": "ok"})
}

func TestUnreachableHostIsCountedAsSuch(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "command" "there" {
  hosts = ["gone"]
  argv  = ["true"]
}
host "gone" {
  address   = "127.0.0.1"
  port      = 1
  user      = "root"
  host_keys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDNo6KyqFzR1v8QJ7m5gXyq0dF0y4b6Qq8oV0v3mJm1b"]
}
`)
	r := engine.Run(t.Context(), o)
	equal(t, "end", statuses(r), map[string]string{`command.there["gone"]`: "unreachable"})
}

func TestChecksAreAllTold(t *testing.T) {
	t.Parallel()
	o := options(t, first+`
check "first" {
  assert {
    condition     = task.copy.first.sha256 == "no"
    error_message = "The sum is wrong."
  }
}
check "second" {
  assert {
    condition     = 1 == 2
    error_message = "One is not two."
  }
}
`)
	r := engine.Run(t.Context(), o)
	for _, want := range []string{"The sum is wrong.", "One is not two."} {
		if !strings.Contains(problems(r), want) {
			t.Errorf("the problems do not say %q:\n%s", want, problems(r))
		}
	}
}

func TestTasksOfPlaybooksInsideTheProgramReadFilesThere(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.Spec = "shipped"
	o.Builtin = fstest.MapFS{
		"shipped.hcl":     {Data: []byte(`spec "shipped" { playbook = "book" }`)},
		"book/files/motd": {Data: []byte("hello\n")},
		"book/files/make": {Data: []byte("#!/bin/sh\necho made >\"$1\"\n")},
		"book/book.hcl": {Data: []byte(`
task "copy" "motd" {
  dest   = "${path.cwd}/motd"
  source = "files/motd"
}
task "script" "make" {
  source  = "./files/../files/make"
  args    = ["${path.cwd}/made"]
  creates = "${path.cwd}/made"
}
task "copy" "folder" {
  dest   = "${path.cwd}/folder"
  source = "files"
}
`)},
	}
	r := engine.Run(t.Context(), o)
	equal(t, "run", statuses(r), map[string]string{"copy.motd": "changed", "script.make": "changed", "copy.folder": "failed"})
	equal(t, "files", content(t, o, "motd")+content(t, o, "made"), "hello\nmade\n")
	equal(t, "problems", problems(r), "builtin:book/book.hcl:13,12-19: Task failed: source: open files: no regular file, want one file")
}

// withFacts are the options of a playbook that writes the host's name, of facts that are
// kept for an hour.
func withFacts(t *testing.T) engine.Options {
	t.Helper()
	o := options(t, `
task "facts" "here" { max_age = "1h" }
task "copy" "name" {
  dest    = "TMP/name"
  content = task.facts.here.hostname
}
`)
	o.StateDir = filepath.Join(o.Cwd, "state")
	return o
}

// renameKept makes "kept" of the host's name in the facts of an earlier run: a run that
// does not ask the host uses that. The run wrote the host's name into the file "name".
func renameKept(t *testing.T, o engine.Options) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.StateDir, "facts", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept: %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, files[0], strings.Replace(string(text), `"hostname":"`+content(t, o, "name")+`"`, `"hostname":"kept"`, 1))
}

func TestFactsOfAnEarlierRunAreUsedWhileTheyAreYoung(t *testing.T) {
	t.Parallel()
	o := withFacts(t)
	equal(t, "plan", problems(engine.Plan(t.Context(), o)), "")
	if entries, _ := os.ReadDir(o.StateDir); len(entries) > 0 {
		t.Errorf("a dry run keeps %v", entries)
	}
	first := engine.Run(t.Context(), o)
	equal(t, "problems", problems(first), "")
	equal(t, "what the first run says", message(first, "task.facts.here"), "")

	name := content(t, o, "name")
	renameKept(t, o)
	second := engine.Run(t.Context(), o)
	equal(t, "what the second run used", content(t, o, "name"), "kept")
	if got := message(second, "task.facts.here"); !strings.HasPrefix(got, "as read ") || !strings.HasSuffix(got, "s ago") {
		t.Errorf("it says %q", got)
	}

	o.FreshFacts = true
	engine.Run(t.Context(), o)
	equal(t, "what a run with fresh facts used", content(t, o, "name"), name)
	o.FreshFacts = false
	engine.Run(t.Context(), o)
	equal(t, "what the run after that used", content(t, o, "name"), name)
}

// message is what a task tells.
func message(r *engine.Report, address string) string {
	for _, result := range r.Results {
		if result.Address == address {
			return result.Message
		}
	}
	return "none"
}

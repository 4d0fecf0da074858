package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// finishOne tells of one task, as an engine would.
func finishOne(_ context.Context, o engine.Options) {
	o.Redactor.Add("s3cret-s3cret")
	o.Events.Emit(event.Event{Time: time.Unix(0, 0).UTC(), Kind: event.TaskFinished, Task: "task.file.motd", Host: "web1",
		Status: event.Changed, Steps: []string{"write s3cret-s3cret\n-a\n+b"}})
}

func TestRunShowsTasksAndKeepsALog(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl")
	p.during = finishOne
	p.report = engine.Report{Results: []engine.Result{{Status: event.Changed}}, Diagnostics: diag.List{{Warning: true, Summary: "Odd"}}}
	if code := p.run(); code != exit.OK {
		t.Fatalf("got exit code %d", code)
	}
	want := "web1       changed  task.file.motd            0.0s   write ***\n\nDone in 0.0s: 1 task, 1 changed.\n"
	if got := p.out.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := p.err.String(), "\nWarning: Odd\n"; got != want {
		t.Errorf("got the problems %q, want %q", got, want)
	}
	log := readLog(t, p)
	if len(log) != 3 || !strings.Contains(log[0], `"kind":"kinit_run_log","version":2,`) ||
		!strings.Contains(log[1], `"steps":["write ***\n-a\n+b"]`) || !strings.Contains(log[2], `"kind":"summary","spec":"site.hcl","exit_code":0,`) {
		t.Errorf("got the log\n%s", strings.Join(log, "\n"))
	}
}

// readLog returns the lines of the only run's log.
func readLog(t *testing.T, p *program) []string {
	t.Helper()
	path := filepath.Join(filepath.Dir(p.Cwd), "home/.local/state/kinit/runs/20250301T120000Z-site/events.jsonl")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

func TestOnlyRunsKeepALog(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"plan s", "validate s", "run s --check", "lab status"} {
		p := newProgram(t, strings.Fields(args)...)
		if code := p.run(); code != exit.OK {
			t.Fatalf("%s: got exit code %d", args, code)
		}
		if _, err := os.Stat(p.StateFolder()); !os.IsNotExist(err) {
			t.Errorf("%s: there is a state folder (%v)", args, err)
		}
	}
}

func TestARunGoesOnWithoutALog(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl")
	p.Environ = append(p.Environ, "XDG_STATE_HOME="+p.write(t, "file")+"/below")
	if code := p.run(); code != exit.OK {
		t.Fatalf("got exit code %d", code)
	}
	if got := p.err.String(); !strings.HasPrefix(got, "there is no log of this run: ") {
		t.Errorf("got %q", got)
	}
}

func TestVerboseTellsInventoriesAndLog(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl", "-v", "-i", "a.hcl", "-i", "b.hcl")
	p.during = finishOne
	if code := p.run(); code != exit.OK {
		t.Fatalf("got exit code %d", code)
	}
	if got := p.err.String(); !strings.HasPrefix(got, "inventories: a.hcl, b.hcl\nlog: "+p.StateFolder()) {
		t.Errorf("got the notices %q", got)
	}
	if got := p.out.String(); !strings.Contains(got, "write ***\n      -a\n      +b\n") {
		t.Errorf("got no diff in %q", got)
	}
}

func TestPlanShowsDiffs(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "plan", "site.hcl")
	p.during = finishOne
	p.report = engine.Report{Results: []engine.Result{{Status: event.Changed}}}
	if code := p.run(); code != exit.Pending {
		t.Fatalf("got exit code %d", code)
	}
	want := "web1       changed  task.file.motd            0.0s   write ***\n      -a\n      +b\n" +
		"\n1 of 1 task would change something (0.0s).\n"
	if got := p.out.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestJSONOutputIsJSONOnly(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl", "--output", "json", "-v")
	p.during = finishOne
	p.report = engine.Report{Invalid: true, Diagnostics: diag.List{{Summary: "Odd"}}}
	if code := p.run(); code != exit.Invalid {
		t.Fatalf("got exit code %d", code)
	}
	lines := strings.Split(strings.TrimSuffix(p.out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %d lines, want 2: %s", len(lines), p.out.String())
	}
	var summary view.Summary
	if err := json.Unmarshal([]byte(lines[1]), &summary); err != nil {
		t.Fatal(err)
	}
	if summary.ExitCode != exit.Invalid || len(summary.Diagnostics) != 1 || summary.Diagnostics[0].Summary != "Odd" {
		t.Errorf("got the summary %+v", summary)
	}
}

func TestTheFirstSignalEndsTheRun(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl")
	p.during = func(ctx context.Context, _ engine.Options) {
		p.incoming <- syscall.SIGINT
		<-ctx.Done()
	}
	if code := p.run(); code != exit.Interrupted {
		t.Fatalf("got exit code %d", code)
	}
	if got, want := p.err.String(), app.Stopping+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.out.String(), "Stopped after 0.0s: 0 tasks, 0 changed.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheSecondSignalLeavesAtOnce(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl")
	p.during = func(ctx context.Context, _ engine.Options) {
		p.incoming <- syscall.SIGTERM
		p.incoming <- syscall.SIGINT
		if code := <-p.left; code != exit.Interrupted {
			t.Errorf("left with exit code %d", code)
		}
	}
	p.run()
}

func TestModulesAreListedByName(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "modules")
	if code := p.run(); code != exit.OK || p.out.String() != "command  Runs a program\nfile     A present or absent regular file\n" {
		t.Errorf("got exit code %d and %q", code, p.out.String())
	}
}

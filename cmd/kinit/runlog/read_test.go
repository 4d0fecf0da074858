package runlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/runfolder"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

const (
	headerLine  = `{"kind":"kinit_run_log","version":1,"program":"v1","command":"kinit run","spec":"a.hcl","started":"2025-03-01T12:00:00Z"}` + "\n"
	eventLine   = `{"time":"2025-03-01T12:00:01Z","kind":"task_finished","task":"task.file.a","status":"ok"}` + "\n"
	summaryLine = `{"kind":"summary","spec":"a.hcl","exit_code":1,"counts":{"failed":1}}` + "\n"
)

// keep writes a log into the folder of a run.
func keep(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name, fileName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadTakesWhatIsWhole(t *testing.T) {
	t.Parallel()
	finished := event.Event{Time: started.Add(time.Second), Kind: event.TaskFinished, Task: "task.file.a", Status: event.OK}
	summary := &view.Summary{Kind: "summary", Spec: "a.hcl", ExitCode: 1, Counts: map[event.Status]int{event.Failed: 1}}
	header := Header{Kind: "kinit_run_log", Version: 1, Program: "v1", Command: "kinit run", Spec: "a.hcl", Started: started}
	cases := []struct {
		name, content string
		want          Run
	}{
		{"a whole log", headerLine + eventLine + summaryLine, Run{Events: []event.Event{finished}, Summary: summary}},
		{"a torn last line", headerLine + eventLine + eventLine[:30], Run{Events: []event.Event{finished}, Torn: true}},
		{"a torn summary", headerLine + eventLine + summaryLine[:50], Run{Events: []event.Event{finished}, Torn: true}},
		{"a line that is no JSON", headerLine + "\x00\x00\x00\n" + eventLine + summaryLine, Run{Events: []event.Event{finished}, Summary: summary, Damaged: 1}},
		{"a kind that is not known yet", headerLine + `{"kind":"later"}` + "\n", Run{Events: []event.Event{{Kind: "later"}}}},
		{"a header only", headerLine, Run{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.ID, c.want.Header = "20250301T120000Z-a", header
			path := keep(t, t.TempDir(), c.want.ID, c.content)
			got, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefusesWhatItWouldMisunderstand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"an empty file":   {"", "the log is empty: the run died before it began"},
		"a torn header":   {headerLine[:40], "the log is empty: the run died before it began"},
		"another file":    {"hello\n", "this is no log of a run: its first line is no header"},
		"a newer version": {strings.Replace(headerLine, `"version":1`, `"version":3`, 1), "the log is of version 3, and this kinit reads versions up to 2; use kinit v1, which wrote it"},
	} {
		path := keep(t, t.TempDir(), "20250301T120000Z-a", c.content)
		if _, err := Read(path); err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestALogThatIsWrittenIsRunning(t *testing.T) {
	t.Parallel()
	log := create(t, t.TempDir(), "a")
	log.Emit(event.Event{Kind: event.TaskProgress, Progress: &event.Progress{Text: "not kept"}})
	run, err := Read(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !run.Running || len(run.Events) != 0 {
		t.Errorf("got running %t and %d events, want a running log without events", run.Running, len(run.Events))
	}
	if err := log.Close(view.Summary{Kind: view.SummaryKind}); err != nil {
		t.Fatal(err)
	}
	if run, err = Read(log.Path()); err != nil || run.Running || run.Summary == nil {
		t.Errorf("after the end got running %t, summary %v, error %v", run.Running, run.Summary, err)
	}
}

func TestPruneKeepsTheNewestAndTheRunning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	running := create(t, dir, "running") // of 12:00 on the first
	defer running.Close(nil)
	for _, name := range []string{"20250101T000000Z-old", "20250302T000000Z-b", "20250303T000000Z-c", "20250304T000000Z-d", "no-run"} {
		keep(t, dir, name, headerLine)
	}
	now := time.Date(2025, 3, 5, 0, 0, 0, 0, time.UTC)
	removed, err := Prune(dir, Limits{Runs: 2, Age: 30 * 24 * time.Hour}, now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"20250302T000000Z-b", "20250101T000000Z-old"}, removed); diff != "" {
		t.Errorf("removed (-want +got): %s", diff)
	}
	removed, err = Prune(dir, Limits{Runs: 10, Age: 36 * time.Hour}, now)
	if diff := cmp.Diff([]string{"20250303T000000Z-c"}, removed); diff != "" || err != nil {
		t.Errorf("removed by age (-want +got): %s, error %v", diff, err)
	}
	left, err := runfolder.Names(dir)
	if diff := cmp.Diff([]string{"20250304T000000Z-d", "20250301T120000Z-running"}, left); diff != "" || err != nil {
		t.Errorf("left (-want +got): %s, error %v", diff, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "no-run")); err != nil {
		t.Errorf("what is no run is gone: %v", err)
	}
}

func TestListIsNewestFirstAndReadsTheEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep(t, dir, "20250301T120000Z-a", headerLine+strings.Repeat(eventLine, 1000)+summaryLine)
	keep(t, dir, "20250302T120000Z-b", headerLine+eventLine)
	keep(t, dir, "20250303T120000Z-c", "")
	runs, err := List(dir)
	if err != nil || len(runs) != 3 {
		t.Fatalf("got %d runs, error %v", len(runs), err)
	}
	if runs[0].ID != "20250303T120000Z-c" || runs[0].Err == nil || !runs[0].Header.Started.Equal(time.Date(2025, 3, 3, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("an unreadable log is %+v", runs[0])
	}
	if runs[1].Summary != nil || len(runs[1].Events) != 1 {
		t.Errorf("a log without an end is %+v", runs[1])
	}
	if runs[2].Summary == nil || runs[2].Summary.ExitCode != 1 || len(runs[2].Events) != 0 {
		t.Errorf("a whole log is %+v, want its ends only", runs[2])
	}
	if runs, err := List(filepath.Join(dir, "none")); err != nil || len(runs) != 0 {
		t.Errorf("a folder that is not there has %d runs, error %v", len(runs), err)
	}
}

func TestFindUnderstandsNamesBeginningsSpecsAndPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"20250301T120000Z-a", "20250302T120000Z-a", "20250302T130000Z-b"} {
		keep(t, dir, name, strings.Replace(headerLine, "a.hcl", "specs/"+name[17:]+".hcl", 1))
	}
	for text, want := range map[string]string{
		"":                                      "20250302T130000Z-b",
		"20250301":                              "20250301T120000Z-a",
		"20250301T120000Z-a":                    "20250301T120000Z-a",
		"a":                                     "20250302T120000Z-a",
		"a.hcl":                                 "20250302T120000Z-a",
		"/elsewhere/specs/a.hcl":                "20250302T120000Z-a",
		dir + "/20250301T120000Z-a":             "20250301T120000Z-a",
		dir + "/20250301T120000Z-a/" + fileName: "20250301T120000Z-a",
	} {
		got, err := Find(dir, text)
		if want := filepath.Join(dir, want, fileName); got != want || err != nil {
			t.Errorf("%q: got %s, error %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"20250302": `2 runs begin with "20250302": 20250302T130000Z-b, 20250302T120000Z-a`,
		"c":        `there is no run "c", and none of a spec of that name.`,
	} {
		if _, err := Find(dir, text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

package runlog

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/event"
)

var started = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func create(t *testing.T, dir, spec string) *Log {
	t.Helper()
	log, err := Create(dir, Header{Program: "v1", Command: "kinit run", Spec: spec, Started: started})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestLogHasAHeaderEventsAndASummary(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "runs")
	log := create(t, dir, "../specs/my site.hcl")
	log.Emit(event.Event{Time: started, Kind: event.RunStarted, Total: 1})
	log.Emit(event.Event{Time: started, Kind: event.TaskFinished, Task: "task.file.a", Status: event.OK})
	if err := log.Close(map[string]string{"kind": "summary"}); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "20250301T120000Z-my-site", "events.jsonl"); log.Path() != want {
		t.Errorf("got the path %s, want %s", log.Path(), want)
	}
	got, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"kinit_run_log","version":2,"program":"v1","command":"kinit run","spec":"../specs/my site.hcl","started":"2025-03-01T12:00:00Z"}
{"time":"2025-03-01T12:00:00Z","kind":"run_started","total":1}
{"time":"2025-03-01T12:00:00Z","kind":"task_finished","task":"task.file.a","status":"ok"}
{"kind":"summary"}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLogIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	log := create(t, t.TempDir(), "a")
	defer log.Close(nil)
	for path, want := range map[string]os.FileMode{log.Path(): 0o600, filepath.Dir(log.Path()): 0o700 | os.ModeDir} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
}

func TestRunsOfTheSameSecondHaveFoldersOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var names []string
	for range 3 {
		log := create(t, dir, "a.hcl")
		defer log.Close(nil)
		names = append(names, filepath.Base(filepath.Dir(log.Path())))
	}
	want := "20250301T120000Z-a 20250301T120000Z-a-2 20250301T120000Z-a-3"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEventsOfManyGoroutinesStayWholeLines(t *testing.T) {
	t.Parallel()
	log := create(t, t.TempDir(), "a")
	message := strings.Repeat("x", 10_000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				log.Emit(event.Event{Kind: event.TaskFinished, Message: message})
			}
		})
	}
	all.Wait()
	if err := log.Close("end"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(lines) != 162 {
		t.Fatalf("got %d lines, want 162", len(lines))
	}
	for _, line := range lines[1:161] {
		if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") || strings.Count(line, message) != 1 {
			t.Fatalf("a line is not whole: %.80s", line)
		}
	}
}

func TestCloseTellsTheFirstError(t *testing.T) {
	t.Parallel()
	log := create(t, t.TempDir(), "a")
	if err := log.file.Close(); err != nil {
		t.Fatal(err)
	}
	log.Emit(event.Event{Kind: event.TaskFinished})
	if err := log.Close(nil); err == nil || !strings.Contains(err.Error(), "file already closed") {
		t.Errorf("got %v, want that the file is closed", err)
	}
}

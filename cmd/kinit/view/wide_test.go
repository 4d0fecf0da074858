package view

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// TestNoLineLosesItsEndToAPrefix shows long addresses and texts on a terminal of 100 columns.
func TestNoLineLosesItsEndToAPrefix(t *testing.T) {
	t.Parallel()
	screen := newTerminal(t, 100)
	text := newText(Options{Out: screen.screen(), Err: screen.screen(), Now: newClock().time})
	for _, e := range []event.Event{
		{Task: "task.copy.page", Host: "web1", Stage: "files", Status: event.Changed, Steps: []string{"create /srv/www/page, mode 0644"}},
		{Task: "task.copy.page", Host: "web1", Stage: "files", Status: event.Changed, Steps: []string{"change /srv/www/html/vhosts/example.org/index.html: mode 0600 to 0644"}},
		{Task: `task.podman_container.services["k8s-controller-01.example.org"]`, Host: "web1", Stage: "files", Status: event.Changed, Steps: []string{"create the container"}},
		{Task: "task.copy.page", Host: "web1", Stage: "files", Status: event.Failed, Message: "the last word of a message of more than a line, which says what to do about the problem, is the end"},
	} {
		e.Kind = event.TaskFinished
		text.Emit(e)
	}
	text.draw()
	equal(t, screen.text(), `web1       changed  files     task.copy.page            0.0s   create /srv/www/page, mode 0644
web1       changed  files     task.copy.page            0.0s
    change /srv/www/html/vhosts/example.org/index.html: mode 0600 to 0644
web1       changed  files     task.podman_container.services["k8s-controller-01.example.org"]  0.0s
    create the container
web1       failed   files     task.copy.page            0.0s
    the last word of a message of more than a line, which says what to do about the problem, is the
    end
`)
}

func TestTheSlowestTasksAreNamed(t *testing.T) {
	t.Parallel()
	r := &engine.Report{Results: []engine.Result{
		{Address: "task.a.a", Host: "h", Duration: 12 * time.Second}, {Address: "task.a.b", Host: "h", Duration: time.Second},
		{Address: "task.a.c", Host: "h", Duration: 5 * time.Minute}, {Address: "task.a.d", Host: "h"}, {Address: "task.a.e", Host: "h"},
	}}
	shown := func() string {
		out, printed := file()
		newText(Options{Out: out, Err: out, Now: newClock().time}).Close(r, 0)
		return printed.String()
	}
	if got := shown(); strings.Contains(got, "SLOWEST") {
		t.Errorf("of five tasks the slowest are named:\n%s", got)
	}
	r.Results = append(r.Results, engine.Result{Address: "task.a.f", Host: "g", Duration: 12 * time.Second})
	equal(t, shown(), `
  TIME  SLOWEST TASKS
 5m00s  task.a.c on h
 12.0s  task.a.a on h
 12.0s  task.a.f on g

Done in 0.0s: 6 tasks, 0 changed.
`)
}

func TestValuesOfTasks(t *testing.T) {
	t.Parallel()
	values := []event.Value{{Name: "code", Text: "0"}, {Name: "stderr", Text: "warning\n", Cut: 7}, {Name: "stdout", Text: "one\ntwo\n"}}
	shown := func(o Options) string {
		out, printed := file()
		o.Out, o.Err, o.Now = out, out, newClock().time
		text := newText(o)
		text.Emit(event.Event{Kind: event.TaskOutputs, Task: "task.command.a", Host: "h", Values: values})
		text.Emit(event.Event{Kind: event.TaskFinished, Task: "task.command.a", Host: "h", Status: event.OK})
		if len(text.values) > 0 {
			t.Errorf("values are kept: %v", text.values)
		}
		return printed.String()
	}
	const line = "h          ok       task.command.a            0.0s\n"
	const streams = "    stderr:\n      warning\n      (7 bytes more, which the log may have)\n    stdout:\n      one\n      two\n"
	equal(t, shown(Options{}), "")
	equal(t, shown(Options{Verbose: true}), line+streams)
	equal(t, shown(Options{Values: true}), line+"    code = 0\n"+streams)
}

func TestALongLineOfSourceIsCutWithoutATerminalToo(t *testing.T) {
	t.Parallel()
	const column = 60_001
	at := hcl.Pos{Line: 1, Column: column, Byte: column - 1}
	source := strings.Repeat("x", column-1) + "wrong" + strings.Repeat("y", 60_000)
	list := diag.List{{Summary: "Wrong", Subject: &hcl.Range{Filename: "a.hcl", Start: at, End: hcl.Pos{Line: 1, Column: column + 5, Byte: column + 4}}}}
	got := Diagnostics(list, map[string]*hcl.File{"a.hcl": {Bytes: []byte(source)}}, false, 0)
	lines := strings.Split(got, "\n")
	if len(got) > 1000 || !strings.Contains(got, "xxxwrongyyy") || strings.Index(lines[4], "wrong") != strings.Index(lines[5], "^^^^^") {
		t.Errorf("%d bytes are shown:\n%.2000s", len(got), got)
	}
}

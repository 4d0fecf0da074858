package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
)

func TestNothingThatIsShownHasASecret(t *testing.T) {
	t.Parallel()
	const word = "hunter2-hunter2"
	redactor := &secret.Redactor{}
	redactor.Add(word)
	c := newClock()
	for _, width := range []int{0, 20, 41, 80} {
		out, printed := file()
		screen := out
		if width > 0 {
			screen.Size = func() (int, int) { return width, 24 }
		}
		text := newText(Options{Out: screen, Err: screen, Diff: true, Verbose: true, Now: c.time})
		sink := Redacted{Next: Fan{text, NewJSON("s.hcl", out, out)}, Redact: redactor.Redact}
		task := `task.x["` + word + `"]`
		sink.Emit(event.Event{Kind: event.RunPlanned, Time: c.now, Plan: &event.Plan{Removals: []event.Removal{{Kind: "volume", Name: word, Why: word}}}})
		sink.Emit(event.Event{Kind: event.TaskStarted, Time: c.now, Task: task, Host: "h"})
		sink.Emit(event.Event{Kind: event.TaskProgress, Time: c.now, Task: task, Progress: &event.Progress{Text: "get " + word}})
		text.draw()
		sink.Emit(event.Event{Kind: event.StepStarted, Time: c.now, Task: task, Steps: []string{"put " + word}})
		text.draw()
		sink.Emit(event.Event{Kind: event.TaskRetried, Time: c.now, Task: task, Message: word})
		sink.Emit(event.Event{Kind: event.TaskFinished, Time: c.now, Task: task, Host: "h",
			Status: event.Failed, Message: "bad " + word, Steps: []string{"put\n+" + word}})
		source := "password = \"" + word + "\"\n"
		report := RedactReport(&engine.Report{
			Results:  []engine.Result{{Address: task, Message: word, Steps: []string{word}, Removes: []module.Removed{{Name: word}}, Status: event.Failed}},
			Removals: []engine.Removal{{Kind: "volume", Name: word, Why: word, By: "--remove " + word}},
			Outputs:  []engine.Output{{Name: "a", Value: word}, {Name: "b", Value: "other-secret", Sensitive: true}},
			Diagnostics: diag.List{{Summary: word, Detail: word, Address: task, Subject: &hcl.Range{Filename: "f",
				Start: hcl.Pos{Line: 1, Column: 12}, End: hcl.Pos{Line: 1, Column: 29}}}},
			Sources: map[string]*hcl.File{"f": {Bytes: []byte(source)}},
		}, redactor.Redact)
		text.Close(report, 1)
		NewJSON("s.hcl", out, out).Close(report, 1)
		everything, err := json.Marshal(report.Results)
		if err != nil {
			t.Fatal(err)
		}
		shown := printed.String() + string(everything)
		if strings.Contains(shown, "hunter") || strings.Contains(shown, "other-secret") {
			t.Errorf("width %d shows a secret:\n%s", width, shown)
		}
		if !strings.Contains(shown, "***") {
			t.Errorf("width %d shows no mask:\n%s", width, shown)
		}
	}
}

func TestRedactionLeavesTheReportOfTheCallerAlone(t *testing.T) {
	t.Parallel()
	report := outcomeOf()
	report.Sources = map[string]*hcl.File{"f": {Bytes: []byte("a\r\nb")}}
	report.Diagnostics[0].Subject = &hcl.Range{Filename: "f"}
	masked := RedactReport(report, strings.ToUpper)
	if got := string(masked.Sources["f"].Bytes); got != "A\r\nB" {
		t.Errorf("got the masked source %q", got)
	}
	if got := string(report.Sources["f"].Bytes); got != "a\r\nb" {
		t.Errorf("the caller's source became %q", got)
	}
	if report.Results[0].Address != "task.file.motd" || report.Outputs[1].Value != "abc" {
		t.Errorf("the caller's report became %+v", report)
	}
}

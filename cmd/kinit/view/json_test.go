package view

import (
	"testing"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

func TestJSONHasAnEventALineAndASummary(t *testing.T) {
	t.Parallel()
	c := newClock()
	out, printed := file()
	errs, notices := file()
	view := NewJSON("s.hcl", out, errs)
	view.Emit(event.Event{Time: c.now, Kind: event.TaskFinished, Task: `task.file.a["<x>"]`, Host: "h",
		Status: event.Failed, Message: "no\nway", Duration: 1500})
	view.Notice("stopping")
	report := outcomeOf()
	report.Diagnostics = diag.List{{Warning: true, Summary: "Odd", Subject: &hcl.Range{
		Filename: "a.hcl", Start: hcl.Pos{Line: 1, Column: 2}, End: hcl.Pos{Line: 3, Column: 4}}}}
	report.Stages = report.Stages[:1]
	view.Close(report, 1)
	equal(t, printed.String(), `{"time":"2025-03-01T12:00:00Z","kind":"task_finished","task":"task.file.a[\"<x>\"]","host":"h","status":"failed","message":"no\nway","duration":1500}
{"kind":"summary","spec":"s.hcl","exit_code":1,"cluster":"k8s","tasks":4,"duration":2300000000,"counts":{"changed":1,"failed":1,"ok":1,"skipped":1,"unreachable":0},"hosts":[{"host":"tyto","ok":1,"changed":0,"failed":0,"skipped":0,"unreachable":0},{"host":"nyctea","ok":0,"changed":1,"failed":1,"skipped":1,"unreachable":0}],"stages":[{"stage":"prepare","started":"0001-01-01T00:00:00Z","duration":12000000,"tasks":1}],"outputs":{"api":"https://10.0.0.253:6443","token":"abc"},"diagnostics":[{"severity":"warning","summary":"Odd","range":{"file":"a.hcl","start":{"line":1,"column":2},"end":{"line":3,"column":4}}}]}
`)
	equal(t, notices.String(), "stopping\n")
}

func TestSummaryOfNothingHasEmptyLists(t *testing.T) {
	t.Parallel()
	out, printed := file()
	NewJSON("s.hcl", out, out).Close(&engine.Report{}, 0)
	equal(t, printed.String(), `{"kind":"summary","spec":"s.hcl","exit_code":0,"tasks":0,"duration":0,"counts":{"changed":0,"failed":0,"ok":0,"skipped":0,"unreachable":0},"hosts":[],"stages":[],"outputs":{},"diagnostics":[]}
`)
}

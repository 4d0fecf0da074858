package view

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
)

// clock is a time that tests move.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time             { return c.now }
func (c *clock) pass(d time.Duration) *clock { c.now = c.now.Add(d); return c }

// play plays a small run to a sink: a change, an ok, a retry that fails, and
// what was skipped because of it.
func play(c *clock, sink event.Sink) {
	emit := func(e event.Event) {
		e.Time = c.now
		sink.Emit(e)
	}
	emit(event.Event{Kind: event.RunStarted, Total: 4})
	emit(event.Event{Kind: event.TaskStarted, Task: "task.ovn_switch.cluster", Host: "nyctea", Stage: "network"})
	emit(event.Event{Kind: event.TaskStarted, Task: "task.file.motd", Host: "tyto", Stage: "prepare"})
	c.pass(300 * time.Millisecond)
	emit(event.Event{Kind: event.StepStarted, Task: "task.ovn_switch.cluster", Host: "nyctea", Stage: "network",
		Steps: []string{"create logical switch k8s"}})
	emit(event.Event{Kind: event.TaskFinished, Task: "task.ovn_switch.cluster", Host: "nyctea", Stage: "network",
		Status: event.Changed, Steps: []string{"create logical switch k8s", "set its mtu\n-1500\n+1442"}, Duration: 300 * time.Millisecond})
	emit(event.Event{Kind: event.TaskFinished, Task: "task.file.motd", Host: "tyto", Stage: "prepare",
		Status: event.OK, Duration: 12 * time.Millisecond})
	emit(event.Event{Kind: event.TaskStarted, Task: "task.command.probe", Host: "nyctea", Stage: "network"})
	c.pass(time.Second)
	emit(event.Event{Kind: event.TaskRetried, Task: "task.command.probe", Host: "nyctea", Stage: "network",
		Attempt: 1, Message: "command ended with code 1: probe"})
	c.pass(time.Second)
	emit(event.Event{Kind: event.TaskFinished, Task: "task.command.probe", Host: "nyctea", Stage: "network",
		Status: event.Failed, Message: "command ended with code 1: probe\nno route to host", Duration: 2 * time.Second})
	emit(event.Event{Kind: event.TaskFinished, Task: "task.domain.node", Host: "nyctea", Stage: "nodes",
		Status: event.Skipped, Message: "after the failure of task.command.probe"})
	emit(event.Event{Kind: event.RunFinished, Duration: 2300 * time.Millisecond})
}

// outcomeOf is the report of play.
func outcomeOf() *engine.Report {
	return &engine.Report{
		Cluster: "k8s", Tasks: 4, Duration: 2300 * time.Millisecond,
		Results: []engine.Result{
			{Address: "task.file.motd", Host: "tyto", Status: event.OK},
			{Address: "task.ovn_switch.cluster", Host: "nyctea", Status: event.Changed},
			{Address: "task.command.probe", Host: "nyctea", Status: event.Failed},
			{Address: "task.domain.node", Host: "nyctea", Status: event.Skipped},
		},
		Stages: []engine.StageTime{
			{Stage: "prepare", Duration: 12 * time.Millisecond, Tasks: 1},
			{Stage: "network", Duration: 2300 * time.Millisecond, Tasks: 2},
		},
		Hosts: []engine.HostCounts{
			{Host: "tyto", OK: 1},
			{Host: "nyctea", Changed: 1, Failed: 1, Skipped: 1},
		},
		Outputs: []engine.Output{{Name: "api", Value: "https://10.0.0.253:6443"}, {Name: "token", Value: "abc", Sensitive: true}},
		Diagnostics: diag.List{{
			Summary: "Command failed", Detail: "command ended with code 1: probe\nno route to host",
			Address: "task.command.probe", Host: "nyctea", Cause: errors.New("x"),
		}},
	}
}

// file is a stream that is no terminal.
func file() (Screen, *bytes.Buffer) {
	var buffer bytes.Buffer
	return Screen{Writer: &buffer}, &buffer
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

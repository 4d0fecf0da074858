package view

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/event"
)

func TestRemovalsStandAboveTheTasks(t *testing.T) {
	t.Parallel()
	node := engine.Removal{Kind: "node", Name: "k8s-compute-02", Host: "tyto", IP: "10.0.0.6", Why: "the spec no longer has it"}
	named := node
	named.By = "--remove compute-02"
	volume := engine.Removal{Kind: "volume", Name: "/srv/a.qcow2", Host: "tyto", Why: "the playbook no longer declares it"}
	const nodeLine = "  node k8s-compute-02 on tyto, with the address 10.0.0.6: the spec no longer has it "
	for name, test := range map[string]struct {
		mode  Mode
		known []engine.Removal // before the tasks
		all   []engine.Removal
		quiet bool
		want  string
	}{
		"of a plan, with those that tasks find": {Plan, []engine.Removal{node}, []engine.Removal{node, volume}, false,
			"This plan removes:\n" + nodeLine + "(needs --remove k8s-compute-02)\n  volume /srv/a.qcow2 on tyto: the playbook no longer declares it (needs --remove /srv/a.qcow2)\n\nh          changed"},
		"of a run":               {Run, []engine.Removal{named}, []engine.Removal{named}, false, "This run removes:\n" + nodeLine + "(named by --remove compute-02)\n\nh          changed"},
		"none":                   {Plan, nil, nil, false, "h          changed"},
		"where failures suffice": {Plan, []engine.Removal{node}, []engine.Removal{node}, true, "\nPLAY RECAP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			v := newText(Options{Out: Screen{Writer: &out}, Err: Screen{Writer: &out}, Mode: test.mode, Quiet: test.quiet, Now: time.Now})
			v.Emit(event.Event{Kind: event.RunPlanned, Plan: &event.Plan{Removals: test.known}})
			v.Emit(event.Event{Kind: event.TaskStarted, Task: "task.copy.a", Host: "h"})
			v.Emit(event.Event{Kind: event.TaskFinished, Task: "task.copy.a", Host: "h", Status: event.Changed, Steps: []string{"create a"}})
			v.Close(&engine.Report{Removals: test.all, Hosts: []engine.HostCounts{{Host: "h", Changed: 1}}}, 0)
			if !strings.HasPrefix(out.String(), test.want) {
				t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

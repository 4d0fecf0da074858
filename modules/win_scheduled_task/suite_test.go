package wintask

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit/trim"
program = "defrag.exe"
arguments = ["C:", "/L"]
description = "for a test"
startup = true
daily = "03:30"
every = "5m"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit/trim"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

func TestTaskOfAGroupIsReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	for _, args := range []string{`program = "defrag.exe"`, `state = "absent"`} {
		of := machine.Task{Path: `\kinit\`, Name: "trim", User: "S-1-5-32-545", LogonType: "Group", RunLevel: "Limited", Actions: []machine.TaskAction{{Execute: "defrag.exe"}}}
		if err := h.AddTask(of, true); err != nil {
			t.Fatal(err)
		}
		task := func() module.Task { return moduletest.Decode(t, Kind(), "name = \"kinit/trim\"\n"+args) }
		if got := moduletest.Apply(t, task(), h); got != "" {
			t.Errorf("%s: %s", args, got)
		}
		if got := moduletest.Planned(t.Context(), task(), h); got != "" {
			t.Errorf("%s, the second run: %s, want no change", args, got)
		}
	}
}

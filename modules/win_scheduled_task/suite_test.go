package wintask

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
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
daily = "03:30"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit/trim"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

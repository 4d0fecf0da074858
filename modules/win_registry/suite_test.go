package winregistry

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
			return moduletest.Decode(t, Kind(), `key = "HKLM/SOFTWARE/kinit/test"
name = "list"
type = "multistring"
value = ["a", "b"]`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `key = "HKLM/SOFTWARE/kinit/test"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

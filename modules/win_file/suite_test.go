package winfile

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
			return moduletest.Decode(t, Kind(), `path = "C:/etc/app/keys"
owner = "S-1-5-32-544"
private = true`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `path = "C:/etc"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

package windefender

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
			return moduletest.Decode(t, Kind(), `paths = ["C:/ProgramData/containerd"]
processes = ["containerd.exe"]
extensions = ["vhdx"]`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `paths = ["C:/ProgramData/containerd"]
processes = ["containerd.exe"]
extensions = ["vhdx"]
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

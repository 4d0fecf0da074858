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

func TestStoppedDefenderExcludesNothingAndFailsNothing(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	if err := h.Services.Stop(t.Context(), "WinDefend", true); err != nil {
		t.Fatal(err)
	}
	task := moduletest.Decode(t, Kind(), `paths = ["C:/ProgramData/containerd"]`)
	if got := moduletest.Planned(t.Context(), task, h); got != "" {
		t.Errorf("with Defender's service stopped: %s, want no change", got)
	}
}

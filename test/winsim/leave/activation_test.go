package leave

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/win_powershell"
	"kinit/test/winsim/winhost"
)

func TestWindowsIsActivatedOnce(t *testing.T) {
	t.Parallel()
	const files = "../../../specs/drivers/libvirt/files/"
	h := winhost.New(t, winhost.Options{})
	activation := func() module.Task {
		task := winpowershell.Kind().New().(*winpowershell.Task)
		task.Script, task.Unless = read(t, files+"windows-activate.ps1"), read(t, files+"windows-activated.ps1")
		return task
	}
	if got := moduletest.Do(t, activation(), h); len(got) != 1 {
		t.Errorf("the first run: %q, want one step", got)
	}
	if !h.Activated() {
		t.Error("Windows is not activated")
	}
	if got := moduletest.Planned(t.Context(), activation(), h); got != "" {
		t.Errorf("the second run: %s, want no change", got)
	}
}

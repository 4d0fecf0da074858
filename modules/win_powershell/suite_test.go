package winpowershell

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
			return moduletest.Decode(t, Kind(), `script = "[IO.File]::WriteAllText($Arguments.path, $Arguments.text)"
arguments = { path = "C:/Windows/Temp/made.txt", text = "é" }
creates = "C:/Windows/Temp/made.txt"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `script = "[IO.File]::Delete($Arguments.path)"
arguments = { path = "C:/Windows/Temp/made.txt" }
only_if = "if (-not [IO.File]::Exists($Arguments.path)) { exit 1 }"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

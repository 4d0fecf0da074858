package wincommand

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
			return moduletest.Decode(t, Kind(), `argv = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", "[IO.Directory]::CreateDirectory('C:\\made').FullName"]
creates = "C:/made"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `argv = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", "if ([IO.Directory]::Exists('C:\\made')) { [IO.Directory]::Delete('C:\\made') }"]
removes = "C:/made"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

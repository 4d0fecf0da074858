package winfirewall

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
			return moduletest.Decode(t, Kind(), `name = "kinit-test"
display_name = "Kinit"
protocol = "tcp"
local_ports = ["10250", "30000-32767"]
remote_addresses = ["10.0.0.0/8"]
profiles = ["private", "domain"]`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit-test"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

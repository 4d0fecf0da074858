package winfirewall

import (
	"strings"
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

func TestStoppedFirewallIsNoRuleThatIsMissing(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	if err := h.Services.Stop(t.Context(), "mpssvc", true); err != nil {
		t.Fatal(err)
	}
	task := moduletest.Decode(t, Kind(), "name = \"kinit-test\"\nstate = \"absent\"")
	const want = "There are no more endpoints available from the endpoint mapper."
	if _, err := task.Plan(t.Context(), h); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

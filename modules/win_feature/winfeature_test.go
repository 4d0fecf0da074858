package winfeature

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func TestDecisions(t *testing.T) {
	t.Parallel()
	all := state{Server: true, Features: []feature{
		{"Containers", "Installed"}, {"Hyper-V", "Available"}, {"DNS", "InstallPending"}, {"FS-SMB1", "Removed"}, {"Old", "UninstallPending"},
	}}
	optional := state{Features: []feature{{"Containers", "Enabled"}, {"A", "EnablePending"}, {"B", "Disabled"}, {"C", "DisablePending"}, {"D", "DisabledWithPayloadRemoved"}}}
	for _, c := range []struct {
		name, args string
		have       state
		want       []string
	}{
		{"to install on a server", `names = ["x"]`, all, []string{"Hyper-V", "FS-SMB1", "Old"}},
		{"to remove from a server", "names = [\"x\"]\nstate = \"absent\"", all, []string{"Containers", "DNS"}},
		{"to enable elsewhere", `names = ["x"]`, optional, []string{"B", "C", "D"}},
		{"to disable elsewhere", "names = [\"x\"]\nstate = \"absent\"", optional, []string{"Containers", "A"}},
		{"what Windows does not know is absent", "names = [\"x\"]\nstate = \"absent\"", state{Features: []feature{{"x", ""}}}, nil},
	} {
		got, err := moduletest.Decode(t, Kind(), c.args).(*Task).decide(c.have)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
	_, err := moduletest.Decode(t, Kind(), `names = ["x"]`).(*Task).decide(state{Features: []feature{{"x", ""}}})
	if want := `there is no feature "x" on this host: Get-WindowsFeature lists those of a server, Get-WindowsOptionalFeature -Online those of other editions`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`names = []`:      "names is empty, want at least one feature",
		`names = ["a b"]`: `names has "a b", want the name of a feature such as "Containers"`,
		"names = [\"a\"]\nstate = \"absent\"\nsource = \"D:/sources\"": `sub_features, management_tools and source are for features to install, want none with state = "absent"`,
		"names = [\"a\"]\nstate = \"enabled\"":                         `state is "enabled", want one of present, absent`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}

package examples

import (
	"strings"
	"testing"

	"kinit/engine"
)

// Members are made and have a leader before anything writes to the databases, and no chassis looks for
// one whose relay does not serve it yet.
func TestDatabasesOfThreeHypervisorsAreThereBeforeTheyAreUsed(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Hosts = []string{"a", "b", "c"}
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ earlier, later string }{
		{`task.ovn_leave.databases["a"]`, `task.service.no_central["a"]`},
		{`task.service.no_central["a"]`, `task.ovn_member.northbound["a"]`},
		{`task.ovn_member.northbound["b"]`, `task.systemd_unit.ovn_northbound["b"]`},
		{`task.firewall.members["c"]`, `task.systemd_unit.ovn_northbound["c"]`},
		{`task.wait.members["c"]["sb OVN_Southbound"]`, "task.ovn_switch.cluster"},
		{`task.wait.members["c"]["nb OVN_Northbound"]`, `task.ovn_leave.noted["a"]`},
		{`task.systemd_unit.ovn_relay["c"]`, `task.ovn_chassis.chassis["a"]`},
		{`task.systemd_unit.ovn_northd["b"]`, "task.ovn_sync.overlay"},
	} {
		if !waits(graph, test.later, test.earlier, map[string]bool{}) {
			t.Errorf("%s does not wait for %s", test.later, test.earlier)
		}
	}
}

func TestDatabasesNeedTheHypervisorsThatTheyAreToBeOn(t *testing.T) {
	t.Parallel()
	for count, want := range map[string]string{
		"3": "OVN's databases are to be on 3 hypervisors, and the cluster has 2. Use more hypervisors, or set ovn_databases to 1.",
		"2": "OVN's databases are on 1, 3 or 5 hypervisors: of an even number, no more can fail than of one less.",
		"1": "",
	} {
		o := options(t, "k8s-podman-1-1-1")
		o.Hosts, o.Vars["ovn_databases"] = []string{"a", "b"}, count
		var said []string
		for _, d := range engine.Validate(t.Context(), o).Diagnostics {
			said = append(said, d.Detail)
		}
		if got := strings.Join(said, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", count, got, want)
		}
	}
}

package examples

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"kinit/engine"
)

// BenchmarkValidateThousandNodes does all that "kinit plan" does before it connects
// to a host, for a cluster of 1,000 nodes on 100 hypervisors: 30,081 tasks.
func BenchmarkValidateThousandNodes(b *testing.B) {
	o := manyHosts(b, "k8s-libvirt-3-997-100", 100)
	b.ReportAllocs()
	for b.Loop() {
		report := engine.Validate(b.Context(), o)
		if err := report.Diagnostics.Err(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPlanningGrowsWithTheTasks holds planning to be linear: four times the nodes and
// hypervisors take about four times the memory, not sixteen times. It is not parallel,
// so that no other test allocates meanwhile.
func TestPlanningGrowsWithTheTasks(t *testing.T) {
	small := bytesPerTask(t, "k8s-libvirt-3-97-10", 10)
	large := bytesPerTask(t, "k8s-libvirt-3-397-40", 40)
	if large > small*3/2 {
		t.Errorf("planning takes %d bytes a task with 400 nodes, and %d with 100", large, small)
	}
}

// bytesPerTask is what planning allocates for each task.
func bytesPerTask(t *testing.T, spec string, hypervisors int) uint64 {
	t.Helper()
	o := manyHosts(t, spec, hypervisors)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report := engine.Validate(t.Context(), o)
	runtime.ReadMemStats(&after)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	return (after.TotalAlloc - before.TotalAlloc) / uint64(report.Tasks)
}

// manyHosts are the options of a spec on a number of hypervisors.
func manyHosts(tb testing.TB, spec string, hypervisors int) engine.Options {
	tb.Helper()
	o := options(tb, spec)
	var inventory strings.Builder
	for i := range hypervisors {
		name := fmt.Sprintf("hv%03d", i+1)
		fmt.Fprintf(&inventory, "host %q { address = \"192.0.2.%d\" }\n", name, i+1)
		o.Hosts = append(o.Hosts, name)
	}
	if err := os.WriteFile(o.Inventories[0], []byte(inventory.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	o.Vars["network_cidr"] = "10.0.0.0/20"
	return o
}

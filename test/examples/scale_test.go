package examples

import (
	"fmt"
	"os"
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

package examples

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/event"
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

// TestTheDescriptionOfAPlanGrowsWithTheTasks holds what the log says of a plan, and what
// is drawn of it, to be linear too.
func TestTheDescriptionOfAPlanGrowsWithTheTasks(t *testing.T) {
	smallLog, smallGraph := describedPerTask(t, "k8s-libvirt-3-97-10", 10)
	largeLog, largeGraph := describedPerTask(t, "k8s-libvirt-3-397-40", 40)
	t.Logf("with 100 nodes %d bytes of the log and %d names in the graph a task, with 400 nodes %d and %d", smallLog, smallGraph, largeLog, largeGraph)
	if largeLog > smallLog*3/2 || largeGraph > smallGraph*3/2 {
		t.Errorf("the log has %d bytes a task with 400 nodes, and %d with 100; the graph %d names and %d", largeLog, smallLog, largeGraph, smallGraph)
	}
}

// describedPerTask is how many bytes the log has of a plan for each task, and how many
// names the graph has.
func describedPerTask(tb testing.TB, spec string, hypervisors int) (log, graph int) {
	tb.Helper()
	o := manyHosts(tb, spec, hypervisors)
	described := describe(tb, o)
	text, err := json.Marshal(described)
	if err != nil {
		tb.Fatal(err)
	}
	order, report := engine.Order(tb.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		tb.Fatal(err)
	}
	names := 0
	for _, t := range order.Tasks {
		names += 1 + len(t.Needs) + len(t.Sets)
	}
	for _, set := range order.Sets {
		names += len(set)
	}
	return len(text) / len(described.Tasks), names / len(order.Tasks)
}

// describe is what a dry run tells of its plan without any host.
func describe(tb testing.TB, o engine.Options) *event.Plan {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	defer stop()
	var plan *event.Plan
	o.Events = planned(func(p *event.Plan) {
		plan = p
		stop()
	})
	o.Offline = true
	engine.Plan(ctx, o)
	if plan == nil {
		tb.Fatal("the plan is not told")
	}
	return plan
}

// planned takes the plan out of the events.
type planned func(*event.Plan)

func (f planned) Emit(e event.Event) {
	if e.Kind == event.RunPlanned {
		f(e.Plan)
	}
}

// BenchmarkDescribeThousandNodes is what the log says of the plan of a cluster of 1,000
// nodes, and its size.
func BenchmarkDescribeThousandNodes(b *testing.B) {
	o := manyHosts(b, "k8s-libvirt-3-997-100", 100)
	b.ReportAllocs()
	for b.Loop() {
		text, err := json.Marshal(describe(b, o))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(text)), "log-bytes")
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

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/runlog"
)

// The lab of the benchmark.
const (
	benchLab    = "bench"
	benchSubnet = "10.83.0.0/24"
)

// BenchmarkClusters deploys clusters of containers on a lab that is up, looks at them, runs
// them again and removes them. Beside seconds it prints how many times its own critical path
// a deployment took.
func BenchmarkClusters(b *testing.B) {
	k := build(b)
	newLab(b, k, benchLab, benchSubnet, "--hosts", hosts, "--drivers", "podman")
	for _, spec := range []string{"k8s-podman-1-1-1", "k8s-podman-3-2-2"} {
		b.Run(spec, func(b *testing.B) { benchCluster(b, k, spec) })
	}
}

func benchCluster(b *testing.B, k *kinit, spec string) {
	run := []string{"run", spec, "--hosts", hosts, "--output", "json"}
	for b.Loop() {
		b.ReportMetric(k.must(b, run...).took.Seconds(), "s-ready")
		b.ReportMetric(overCritical(b, k), "×critical-path")
		again := k.must(b, run...)
		b.ReportMetric(again.took.Seconds(), "s-again")
		b.ReportMetric(float64(len(again.finished("changed"))), "changed-again")
		b.ReportMetric(k.must(b, "status", spec, "--hosts", hosts).took.Seconds(), "s-status")
		b.ReportMetric(k.must(b, append(run, "--stop-after", "cleanup")...).took.Seconds(), "s-cleanup")
	}
}

// overCritical is how long the last run took, divided by the tasks on its critical path.
func overCritical(b *testing.B, k *kinit) float64 {
	file, err := runlog.Find(filepath.Join(k.home, "state", "kinit", "runs"), "") // the newest
	if err != nil {
		b.Fatal(err)
	}
	log, err := runlog.Read(file)
	if err != nil {
		b.Fatal(err)
	}
	played := replay.Of(log)
	var path time.Duration
	for _, t := range played.Critical {
		path += t.Duration
	}
	return played.Duration().Seconds() / path.Seconds()
}

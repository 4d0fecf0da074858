package e2e

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The lab of the benchmark.
const (
	uploadLab    = "upload"
	uploadSubnet = "10.82.0.0/24"
)

// BenchmarkUploadInALab brings 100 MB to a guest of a lab that plays a Windows node:
// through WinRM, and fetched by the node from the services pod. Both are verified by their
// checksums, the modules' own. The guest's processors are emulated and its Windows is
// simulated; network, WinRM and TLS are real.
func BenchmarkUploadInALab(b *testing.B) {
	const size = 100_000_000
	k := build(b)
	payload := filepath.Join(b.TempDir(), "payload")
	content := make([]byte, size)
	_, _ = rand.New(rand.NewSource(1)).Read(content) // it cannot fail
	if err := os.WriteFile(payload, content, 0o600); err != nil {
		b.Fatal(err)
	}
	newLab(b, k, uploadLab, uploadSubnet, "--hosts", "nyctea", "--windows", buildSimulator(b, k))

	run := []string{"run", "test/e2e/testdata/upload.hcl", "--hosts", "nyctea", "--var", "payload=" + payload, "--output", "json"}
	took := map[string]float64{}
	for b.Loop() {
		for _, e := range k.must(b, run...).events {
			if e.Kind == "task_finished" && e.Status == "changed" {
				module := strings.Split(e.Task, ".")[1]
				took[module] += e.Duration.Seconds()
			}
		}
	}
	b.ReportMetric(size/1e6/took["win_copy"], "MB/s-streamed")
	b.ReportMetric(size/1e6/took["win_download"], "MB/s-pulled")
}

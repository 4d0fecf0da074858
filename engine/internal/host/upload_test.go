package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/win_download"
	"kinit/test/winsim/nodetest"
)

// What BenchmarkUpload brings to a node, 100 MB, and how fast it must be, in bytes a
// second: through the connection, and when the node fetches it.
const (
	uploaded    = 100_000_000
	streamFloor = 1_000_000
	pullFloor   = 10_000_000
)

// BenchmarkUpload measures both ways to bring a large file to a simulated node: as the
// input of a command, through the connection, and fetched by the node from a server
// near by, as win_download has it do. What arrives is compared by its checksum.
func BenchmarkUpload(b *testing.B) {
	data := make([]byte, uploaded)
	rand.NewChaCha8([32]byte{}).Read(data)
	node := nodetest.Start(b)
	for _, name := range []string{"winrm", "ntlm", "ssh"} {
		b.Run("stream over "+name, func(b *testing.B) {
			h := reach(b, waysTo(node)[name])
			upload(b, node, data, streamFloor, func(path string) {
				if err := h.Files().Write(b.Context(), path, bytes.NewReader(data), module.Attr{}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("pull", func(b *testing.B) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "data", time.Time{}, bytes.NewReader(data))
		}))
		defer server.Close()
		h := reach(b, waysTo(node)["winrm"])
		upload(b, node, data, pullFloor, func(path string) {
			task := moduletest.Decode(b, windownload.Kind(), fmt.Sprintf("url = %q\ndest = %q\nsha256 = %q", server.URL, path, checksum(data)))
			if problem := moduletest.Apply(b, task, h); problem != "" {
				b.Fatal(problem)
			}
		})
	})
}

// upload measures do, which brings the data to a path that has no file yet, and fails
// below so many bytes a second.
func upload(b *testing.B, node *nodetest.Node, data []byte, floor float64, do func(path string)) {
	const path = "C:/Windows/Temp/uploaded"
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		do(path)
		b.StopTimer()
		arrived, err := node.Files.ReadFile(path)
		if err != nil || checksum(arrived) != checksum(data) {
			b.Fatalf("%d bytes have arrived, not what was sent, %v", len(arrived), err)
		}
		if err := node.Files.Remove(path, true); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	if rate := float64(len(data)) * float64(b.N) / b.Elapsed().Seconds(); rate < floor {
		b.Errorf("%.1f MB/s, want %.0f", rate/1e6, floor/1e6)
	}
}

func checksum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

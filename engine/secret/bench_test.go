package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/secret"
)

// BenchmarkRedact masks the secrets of a cluster, 20 keys and 50 passwords, in the
// output of a long command.
func BenchmarkRedact(b *testing.B) {
	var r secret.Redactor
	for i := range 20 {
		var key strings.Builder
		for line := range 27 {
			fmt.Fprintf(&key, "MIIEvQIBADANBgkq%04dhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTU%04d\n", i, line)
		}
		r.Add(key.String())
	}
	for i := range 50 {
		r.Add(fmt.Sprintf("password-%d-hunter", i))
	}
	text := strings.Repeat("Nov 21 12:00:00 node1 kubelet[812]: I1121 this is one line of a log\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}

package faults

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// payload is noise of a size in bytes, the same each time.
func payload(size int) []byte {
	data := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(data)
	return data
}

// small is the size of a payload where the time that it takes does not matter.
const small = 256 << 10

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// serve has a small payload at the URL that it returns.
func serve(t testing.TB) string { return serveBytes(t, payload(small)) }

func serveBytes(t testing.TB, data []byte) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "payload", time.Time{}, bytes.NewReader(data))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

package windownload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

// payload is what the test server has: 256 KiB of noise, the same each time.
func payload() []byte {
	data := make([]byte, 256<<10)
	rand.NewChaCha8([32]byte{}).Read(data)
	return data
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// server serves the payload at /file and keeps which ranges were asked for.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(payload()))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

const dest = "C:/k folder/kubelet.exe"

func task(t *testing.T, url, sha string) module.Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), fmt.Sprintf("url = %q\ndest = %q\nsha256 = %q", url, dest, sha))
}

func newHost(t *testing.T) *winhost.Host {
	t.Helper()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	h.Put("C:/k folder/other", "")
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	s := serve(t)
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task { return task(t, s.URL+"/file", strings.ToUpper(sum(payload()))) },
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), fmt.Sprintf("dest = %q\nstate = \"absent\"", dest))
		},
		Host: newHost(t),
	})
}

func TestInterruptedFetchGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		part   []byte
		ranges []string
	}{
		{"half is there", payload()[:100000], []string{"bytes=100000-"}},
		{"all is there", payload(), []string{fmt.Sprintf("bytes=%d-", len(payload()))}},
		{"another version is there", []byte("other"), []string{"bytes=5-", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, h := serve(t), newHost(t)
			h.Put(dest+".part", string(c.part))
			if got := moduletest.Apply(t, task(t, s.URL+"/file", sum(payload())), h); got != "" {
				t.Fatal(got)
			}
			if text, _ := h.Text(dest); text != string(payload()) {
				t.Error("the file is not what the server has")
			}
			if !slices.Equal(s.ranges, c.ranges) {
				t.Errorf("ranges %q, want %q", s.ranges, c.ranges)
			}
			if _, there := h.Text(dest + ".part"); there {
				t.Error("the part is left")
			}
		})
	}
}

func TestFailedFetchesSayWhy(t *testing.T) {
	t.Parallel()
	s, h := serve(t), newHost(t)
	for _, c := range []struct{ url, want string }{
		{s.URL + "/file", "sha256 of " + s.URL + "/file is " + sum(payload()) + ", want " + sum(nil) +
			": the file at the source is another one, or the transfer was damaged"},
		{s.URL + "/none", "download " + s.URL + "/none: curl.exe ended with code 22: the server refuses the request, as for a file it does not have"},
	} {
		if got := moduletest.Apply(t, task(t, c.url, sum(nil)), h); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

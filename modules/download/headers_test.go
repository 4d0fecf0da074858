package download

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
)

// guarded is a server that only gives its file, and the checksum of it, to who has the token.
func guarded(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != `open"sesame` || r.Header.Get("Accept") != "application/octet-stream" {
			http.Error(w, "who are you", http.StatusForbidden)
			return
		}
		if r.URL.Path == "/sum" {
			fmt.Fprintln(w, sha(payload()))
			return
		}
		_, _ = w.Write(payload())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const headers = "\nheaders = { X-Token = \"open\\\"sesame\", Accept = \"application/octet-stream\" }"

func TestSuiteWithHeaders(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	url, h := guarded(t), moduletest.LocalHost(t, "demo")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			made := moduletest.Decode(t, Kind(), fmt.Sprintf("dest = %q\nurl = \"%s/file\"\nsha256_url = \"%[2]s/sum\"", h.Path("f"), url)+headers).(*Task)
			if !made.Hide("headers") || made.Hide("url") {
				t.Error("want the headers hidden, and the URL not")
			}
			return made
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), fmt.Sprintf("dest = %q\nstate = \"absent\"", h.Path("f")))
		},
		Host:    h,
		Secrets: []secret.Value{`open"sesame`},
	})
}

func TestHeadersAreForTheServerOfTheFile(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	var got atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(got.Load() || r.Header.Get("X-Token") != "")
		fmt.Fprintln(w, sha(payload()))
	}))
	t.Cleanup(other.Close)
	h := moduletest.LocalHost(t, "")
	moduletest.Do(t, moduletest.Decode(t, Kind(), fmt.Sprintf("dest = %q\nurl = \"%s/file\"\nsha256_url = \"%s/sum\"", h.Path("f"), guarded(t), other.URL)+headers), h)
	if _, err := os.Stat(h.Path("f")); err != nil || got.Load() {
		t.Errorf("%v; the other server got the token: %t", err, got.Load())
	}
}

func TestHeadersNeedCurl(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("sh", "-c", "command -v curl || command -v wget").Out("/usr/bin/wget\n")
	got := moduletest.Apply(t, moduletest.Decode(t, Kind(), "dest = \"/f\"\nurl = \"http://example.org/f\"\nunverified = true"+headers), h)
	if !strings.HasPrefix(got, "headers needs curl, because every user of the host would see those of wget") {
		t.Errorf("error %q", got)
	}
}

func TestValidateHeaders(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"url = \"http://a/f\"\nheaders = { \"a b\" = \"c\" }":  `headers has the name "a b", want one such as "Accept"`,
		"url = \"http://a/f\"\nheaders = { a = \"b\\nc: d\" }": "headers has a line end in the value of a, want one line",
		"url = \"file:///f\"\nheaders = { a = \"b\" }":         "headers is for a server, want it without a URL of a file",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), "dest = \"/f\"\nunverified = true\n"+args), want)
	}
}

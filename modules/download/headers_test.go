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

// A redirect stays on the server, goes to another port, which is another server, and to a file of
// the host.
func TestHeadersAreNotForTheServerOfARedirect(t *testing.T) {
	t.Parallel()
	need.Programs(t, "curl", "curl")
	var got atomic.Value
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.URL.Path + " " + r.Header.Get("X-Token") + r.Header.Get("Accept"))
		_, _ = w.Write(payload())
	}))
	t.Cleanup(other.Close)
	own := http.NewServeMux()
	first := httptest.NewServer(own)
	t.Cleanup(first.Close)
	for from, to := range map[string]string{"/away": "/here", "/here": other.URL + "/signed?a=b", "/circle": "/circle", "/local": "file:///etc/hostname", "/stays": "/file"} {
		own.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Token") != `open"sesame` {
				t.Errorf("%s is asked without the token", from)
			}
			http.Redirect(w, r, to, http.StatusFound)
		})
	}
	own.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != `open"sesame` {
			http.Error(w, "who are you", http.StatusForbidden)
			return
		}
		_, _ = w.Write(payload())
	})
	for path, want := range map[string]string{
		"/away": "", "/stays": "",
		"/circle": "download " + first.URL + "/circle: the server redirects more than 20 times",
		"/local":  "download " + first.URL + "/local: the server redirects to ",
	} {
		h := moduletest.LocalHost(t, "")
		task := moduletest.Decode(t, Kind(), fmt.Sprintf("dest = %q\nurl = \"%s%s\"\nsha256 = %q", h.Path("f"), first.URL, path, sha(payload()))+headers)
		if err := moduletest.Apply(t, task, h); (err == "") != (want == "") || !strings.HasPrefix(err, want) {
			t.Errorf("%s: error %q, want %q", path, err, want)
		}
	}
	if got.Load() != "/signed */*" {
		t.Errorf("the other server got %q, want curl's own headers", got.Load())
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

package pins_test

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"kinit/cmd/kinit/pins"
)

func sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// serve is a web server until the test ends.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func fetcher() pins.Fetcher {
	return pins.Fetcher{Client: http.DefaultClient, Patience: 20 * time.Second}
}

const index = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`

// images is a registry with an image for several processors, x/y:1.
func images(t *testing.T) (http.Handler, string) {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	url := serve(t, handler)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/v2/x/y/manifests/1", strings.NewReader(index))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/vnd.oci.image.index.v1+json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("put: %v, %v", answer, err)
	}
	answer.Body.Close()
	return handler, strings.TrimPrefix(url, "http://")
}

func TestDigestOfAFileIsThatOfItsBytes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("kinit", 100_000)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/file", http.StatusFound)
			return
		}
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("asked for %q", got)
		}
		io.WriteString(w, text)
	}))
	for _, path := range []string{"/file", "/moved"} {
		got, err := fetcher().Digest(t.Context(), pins.Pin{Version: "1", URL: url + path})
		if err != nil || got != sum(text) {
			t.Errorf("%s: %s, %v, want %s", path, got, err, sum(text))
		}
	}
}

func TestDigestOfAFileIsOfTheAlgorithmThatItsPinHas(t *testing.T) {
	t.Parallel()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "kinit") }))
	long := sha512.Sum512([]byte("kinit"))
	want := "sha512:" + hex.EncodeToString(long[:])
	got, err := fetcher().Digest(t.Context(), pins.Pin{Version: "1", URL: url, Digest: "sha512:" + strings.Repeat("0", 128)})
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestDigestOfAnImageIsThatOfItsManifest(t *testing.T) {
	t.Parallel()
	_, host := images(t)
	got, err := fetcher().Digest(t.Context(), pins.Pin{Version: "1", Image: host + "/x/y"})
	if err != nil || got != sum(index) {
		t.Errorf("%s, %v, want %s", got, err, sum(index))
	}
}

func TestRegistryGivesAnAnonymousToken(t *testing.T) {
	t.Parallel()
	handler, _ := images(t)
	mux := http.NewServeMux()
	url := ""
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Get("scope"); got != "repository:x/y:pull" {
			t.Errorf("scope %q", got)
		}
		io.WriteString(w, `{"token": "anonymous"}`)
	})
	mux.HandleFunc("/v2/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer anonymous" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+url+`/token",service="s",scope="repository:x/y:pull"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	url = serve(t, mux)
	got, err := fetcher().Digest(t.Context(), pins.Pin{Version: "1", Image: strings.TrimPrefix(url, "http://") + "/x/y"})
	if err != nil || got != sum(index) {
		t.Errorf("%s, %v, want %s", got, err, sum(index))
	}
}

func TestManifestThatIsNotWhatTheRegistrySaysIsNoDigest(t *testing.T) {
	t.Parallel()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
		w.Header().Set("Docker-Content-Digest", sum("another"))
		io.WriteString(w, index)
	}))
	got, err := fetcher().Digest(t.Context(), pins.Pin{Version: "1", Image: strings.TrimPrefix(url, "http://") + "/x/y"})
	if err == nil || got != "" {
		t.Errorf("digest %q, %v, want an error", got, err)
	}
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	_, host := images(t)
	url := serve(t, http.NotFoundHandler())
	for want, pin := range map[string]pins.Pin{
		"fetch " + url + "/a: the site answers 404 Not Found":     {Version: "1", URL: url + "/a"},
		"fetch " + host + "/x/y:2: " + host + "/x/y:2: not found": {Version: "2", Image: host + "/x/y"},
	} {
		if got, err := fetcher().Digest(t.Context(), pin); err == nil || err.Error() != want || got != "" {
			t.Errorf("%q, error %v, want %s", got, err, want)
		}
	}
}

func TestSiteThatFallsSilentIsGivenUp(t *testing.T) {
	t.Parallel()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "the beginning")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	f := fetcher()
	f.Patience = 200 * time.Millisecond
	_, err := f.Digest(t.Context(), pins.Pin{Version: "1", URL: url})
	if want := "fetch " + url + ": nothing arrived for 200ms"; !errors.Is(err, pins.ErrSilent) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestInterruptEndsAFetch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	if _, err := fetcher().Digest(ctx, pins.Pin{Version: "1", URL: url}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

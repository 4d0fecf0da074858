package httprequest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// dressed is all that a request can carry.
const dressed = `
method    = "POST"
read_only = true
follow    = true
body      = "opensesame"
headers   = { X-Token = "opensesame", Cookie = "opensesame", Host = "inside.example" }
username  = "me"
password  = "opensesame"
`

// TestRedirectToAnotherServerCarriesNothing covers another port, and a way back.
func TestRedirectToAnotherServerCarriesNothing(t *testing.T) {
	t.Parallel()
	var got []string
	first := httptest.NewUnstartedServer(nil)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprintf("%s %s %v %q", r.Method, r.Host, r.Header, body))
		_, _ = io.WriteString(w, "fine")
	}))
	t.Cleanup(other.Close)
	first.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/x", http.StatusFound)
	})
	first.Start()
	t.Cleanup(first.Close)

	if err := moduletest.Planned(t.Context(), task(t, first.URL+"/?key=opensesame", dressed), moduletest.LocalHost(t, "")); err != "" {
		t.Fatal(err)
	}
	want := "GET " + strings.TrimPrefix(other.URL, "http://") + ` map[Accept-Encoding:[gzip] Connection:[close] User-Agent:[Go-http-client/1.1]] ""`
	if len(got) != 1 || got[0] != want {
		t.Errorf("the other server got %q, want %q", got, want)
	}
}

func TestRedirectThatAsksForTheBodyOnAnotherServerIsAnError(t *testing.T) {
	t.Parallel()
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(first.Close)
	want := `Post "` + other.URL + `": the server redirects to ` + other.URL + " and asks for the body again; kinit sends it only to the server of url: name the other one there"
	if err := moduletest.Planned(t.Context(), task(t, first.URL, dressed), moduletest.LocalHost(t, "")); err != want || asked {
		t.Errorf("error %q, want %q; the other server was asked: %v", err, want, asked)
	}
}

func TestRedirectOnTheSameServerKeepsHeadersAndLogin(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = strings.Join([]string{r.Header.Get("X-Token"), user, password, string(body)}, " ")
	}))
	t.Cleanup(server.Close)
	if err := moduletest.Planned(t.Context(), task(t, server.URL, dressed), moduletest.LocalHost(t, "")); err != "" {
		t.Fatal(err)
	}
	if want := "opensesame me opensesame opensesame"; got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
}

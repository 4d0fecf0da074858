package httprequest

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
)

// service keeps one text, which PUT and POST set and DELETE removes.
type service struct {
	mu   sync.Mutex
	text string
	sets int
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, _ := r.BasicAuth()
	switch {
	case r.URL.Path == "/echo":
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		fmt.Fprintf(w, "%s %s %q %q %s", r.Method, r.Host, r.Header.Get("Content-Type"), r.Header.Get("X-Own"), body)
	case r.URL.Path == "/move":
		http.Redirect(w, r, "/echo", http.StatusFound)
	case r.URL.Path == "/slow":
		<-r.Context().Done()
	case r.URL.Path == "/private" && r.Header.Get("Authorization") != "Bearer opensesame" && user+password != "meopensesame":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, "no, %s", r.Header.Get("Authorization"))
	case r.Method == http.MethodPut || r.Method == http.MethodPost:
		body, _ := io.ReadAll(r.Body)
		s.text = string(body)
		s.sets++
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodDelete:
		s.text = ""
	case s.text == "":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintln(w, "nothing here")
	default:
		io.WriteString(w, s.text)
	}
}

// state is what a dry run must not change.
func (s *service) state() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.text, s.sets)
}

func serve(t *testing.T) (*service, string) {
	s := &service{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"text":     "body = \"hello\"\nunless {\n  expect = \"hello\"\n}",
		"json":     "json = { a = [1, true] }\nunless {\n  expect = \"{\\\"a\\\":[[]1,true[]]}\"\n}",
		"form":     "form = { b = \"x y\", a = \"&\" }\nunless {\n  expect = \"^a=%26&b=x.y$\"\n}",
		"no guard": `body = "hello"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, url := serve(t)
			moduletest.Run(t, moduletest.Case{
				New:  func() module.Task { return task(t, url, "method = \"PUT\"\nstatus = [201]\n"+args) },
				Host: moduletest.LocalHost(t, "demo"), Snapshot: s.state,
				Absent: absent(t, url, name),
			})
		})
	}
}

// absent removes the text, where a guard can tell that it is gone.
func absent(t *testing.T, url, name string) func() module.Task {
	if name == "no guard" {
		return nil
	}
	return func() module.Task { return task(t, url, "method = \"DELETE\"\nunless {\n  status = [404]\n}") }
}

func TestSuiteOfARequestThatReads(t *testing.T) {
	t.Parallel()
	s, url := serve(t)
	for _, args := range []string{`expect = "^GET "`, "method = \"POST\"\nread_only = true\nbody = \"q\"\nexpect = \" q$\""} {
		moduletest.Run(t, moduletest.Case{
			New:  func() module.Task { return task(t, url+"/echo", args) },
			Host: moduletest.LocalHost(t, ""), NoSteps: true, Snapshot: s.state,
		})
	}
}

func TestSuiteWithLogin(t *testing.T) {
	t.Parallel()
	for _, login := range []string{`token = "opensesame"`, "username = \"me\"\npassword = \"opensesame\""} {
		s, url := serve(t)
		moduletest.Run(t, moduletest.Case{
			New: func() module.Task {
				return task(t, url+"/private?key=opensesame", login+"\nmethod = \"PUT\"\nbody = \"x\"\nstatus = [201]\nunless {\n  expect = \"x\"\n}")
			},
			Host: moduletest.LocalHost(t, ""), Snapshot: s.state, Secrets: []secret.Value{"opensesame"},
		})
	}
}

func TestStepNamesMethodAndURL(t *testing.T) {
	t.Parallel()
	got := moduletest.Planned(t.Context(), task(t, "http://u:opensesame@h/x", `method = "POST"`), moduletest.NewFakeHost(t, ""))
	if got != "POST http://u:xxxxx@h/x" {
		t.Errorf("step %q", got)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	for _, c := range []struct{ name, path, args, want string }{
		{"as expected", "/echo", `headers = { X-Own = "mine", Host = "other" }`, ""},
		{"header and host", "/echo", "headers = { X-Own = \"mine\", Host = \"other\" }\nexpect = \"^GET other \\\"\\\" \\\"mine\\\" $\"", ""},
		{"content type of its own", "/echo", "method = \"POST\"\nread_only = true\njson = []\nheaders = { content-type = \"x/y\" }\nexpect = \"\\\"x/y\\\" \\\"\\\" .]$\"", ""},
		{"other status", "/none", "", "GET " + url + "/none is answered 404 Not Found, want 200; it says: nothing here"},
		{"one of several", "/none", `status = [200, 404]`, ""},
		{"none of several", "/none", `status = [200, 201]`, "GET " + url + "/none is answered 404 Not Found, want one of [200 201]; it says: nothing here"},
		{"other text", "/echo", `expect = "^POST"`, `the answer of GET ` + url + `/echo does not contain "^POST"; it says: GET ` + strings.TrimPrefix(url, "http://") + ` "" ""`},
		{"redirect", "/move", "", "GET " + url + "/move is answered 302 Found, want 200; it says: <a href=\"/echo\">Found</a>."},
		{"redirect to follow", "/move", "follow = true\nexpect = \"^GET\"", ""},
		{"secret in the answer", "/private", `token = "wrongsesame"`, "GET " + url + "/private is answered 401 Unauthorized, want 200; it says: no, Bearer ***"},
		{"slow", "/slow", `within = "50ms"`, "GET " + url + "/slow was not answered within 50ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := moduletest.Planned(t.Context(), task(t, url+c.path, c.args), moduletest.LocalHost(t, "")); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(&service{text: "fine"})
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // one client refuses it
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for args, want := range map[string]string{
		"ca_pem = <<E\n" + ca + "E\n": "",
		`insecure = true`:             "",
		``:                            `Get "` + server.URL + `": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
	} {
		if got := moduletest.Planned(t.Context(), task(t, server.URL, args), moduletest.LocalHost(t, "")); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	task := task(t, url+"/echo", `body = "b"`)
	if got := moduletest.Planned(t.Context(), task, moduletest.LocalHost(t, "")); got != "" {
		t.Fatal(got)
	}
	got := moduletest.Outputs(t, task, nil)
	if !got["status"].RawEquals(cty.NumberIntVal(200)) || !strings.HasSuffix(got["body"].AsString(), `"" "" b`) {
		t.Errorf("outputs %#v", got)
	}
	if two := got["headers"].AsValueMap()["x-two"]; !two.RawEquals(cty.StringVal("a, b")) {
		t.Errorf("header x-two %#v", two)
	}
}

func TestLongAnswerIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&service{text: strings.Repeat("x", longest+1)})
	t.Cleanup(server.Close)
	want := fmt.Sprintf("the answer of %s has more than %d bytes", server.URL, longest)
	if got := moduletest.Planned(t.Context(), task(t, server.URL, ""), moduletest.LocalHost(t, "")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInterruptIsNotALateAnswer(t *testing.T) {
	t.Parallel()
	_, url := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := task(t, url+"/slow", "").Plan(ctx, moduletest.LocalHost(t, ""))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`url = "h:80"`:                    `url is "h:80", want a full URL with http or https`,
		`method = "post"`:                 `method is "post", want one such as "POST"`,
		`status = []`:                     "status is empty, want at least one status code",
		`within = "5"`:                    `within is "5", want a duration such as "30s"`,
		`password = "p"`:                  "username is missing, want it beside password",
		`ca_pem = "x"`:                    "ca_pem has no certificate, want PEM text",
		"body = \"a\"\njson = 1":          "want at most one of body, json and form",
		"token = \"t\"\nusername = \"u\"": "want token or username, not both",
		"unless {}":                       "unless says when a change is needed, and this request changes nothing: leave it out",
		"method = \"POST\"\nunless {\n  url = \"ftp://h\"\n}": `unless: url is "ftp://h", want a full URL with http or https`,
		"method = \"POST\"\nunless {}":                        "",
	} {
		if !strings.HasPrefix(args, "url") {
			args = "url = \"http://h\"\n" + args
		}
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}

func task(t *testing.T, url, args string) module.Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), "url = \""+url+"\"\n"+args)
}

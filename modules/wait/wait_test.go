package wait

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/transport"
)

func TestSuiteWaitsForAPath(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	later(t, func() {
		if err := os.WriteFile(h.Path("flag"), nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return task(t, `path = "`+h.Path("flag")+`"`) },
		Host: h,
	})
}

// later calls a function a moment after the suite's dry run; the test waits for
// it.
func later(t *testing.T, f func()) {
	timer := make(chan struct{})
	go func() {
		defer close(timer)
		<-time.After(700 * time.Millisecond)
		f()
	}()
	t.Cleanup(func() { <-timer })
}

func TestSuiteWaitsForAPortThatComesUp(t *testing.T) {
	t.Parallel()
	port := need.Port(t)
	later(t, func() { listen(t, port, "SSH-2.0-test\r\n") })
	moduletest.Run(t, moduletest.Case{
		New:  func() module.Task { return task(t, fmt.Sprintf("port = %d\nbanner = \"SSH-\"", port)) },
		Host: moduletest.LocalHost(t, ""),
	})
}

// listen accepts connections and says the banner to each.
func listen(t *testing.T, port int, banner string) int {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Error(err)
		return 0
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, banner)
			conn.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func TestOneLook(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(web.Close)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // one client refuses it
	secure.StartTLS()
	t.Cleanup(secure.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	ssh, closed := listen(t, 0, "SSH-2.0-x\r\n"), need.Port(t)
	refused := fmt.Sprintf("dial tcp 127.0.0.1:%d: connect: connection refused", closed)
	for _, c := range []struct{ name, args, want string }{
		{"port open", fmt.Sprintf("port = %d", ssh), ""},
		{"port open, banner", fmt.Sprintf("port = %d\nbanner = \"SSH-\"", ssh), ""},
		{"port open, other banner", fmt.Sprintf("port = %d\nbanner = \"HTTP\"", ssh), `it says "SSH-", want "HTTP"`},
		{"port closed", fmt.Sprintf("port = %d", closed), refused},
		{"port open, gone", fmt.Sprintf("port = %d\ngone = true", ssh), "it is still there"},
		{"port closed, gone", fmt.Sprintf("port = %d\ngone = true", closed), ""},
		{"path there", `path = "/etc"`, ""},
		{"path missing", `path = "/no/such"`, "it is not there"},
		{"path missing, gone", "path = \"/no/such\"\ngone = true", ""},
		{"path with the text", "path = \"/proc/self/status\"\nexpect = \"^Name:\"", ""},
		{"path without the text", "path = \"/proc/self/status\"\nexpect = \"opensesame\"", `it does not contain "opensesame"`},
		{"path without the text, gone", "path = \"/proc/self/status\"\nexpect = \"opensesame\"\ngone = true", ""},
		{"command succeeds", `argv = ["true"]`, ""},
		{"command fails", `argv = ["false"]`, "command ended with code 1: false"},
		{"command fails, gone", "argv = [\"false\"]\ngone = true", ""},
		{"output as expected", "argv = [\"echo\", \"3 Ready\"]\nexpect = \"[0-9] Ready\"", ""},
		{"output not as expected", "argv = [\"echo\", \"NotYet\"]\nexpect = \"^Ready\"",
			`output does not contain "^Ready"; it ends with: NotYet`},
		{"url answers", `url = "` + web.URL + `/ok"`, ""},
		{"url answers text", `url = "` + web.URL + "/ok\"\nexpect = \"fine\"", ""},
		{"url answers other text", `url = "` + web.URL + "/ok\"\nexpect = \"ready\"", `its answer does not contain "ready"; it ends with: all is fine`},
		{"url is busy", `url = "` + web.URL + `/busy"`, "it answers status 503, want 200"},
		{"url is to be busy", `url = "` + web.URL + "/busy\"\nstatus = 503", ""},
		{"url redirects", `url = "` + web.URL + "/move\"\nstatus = 302", ""},
		{"url with its authority", `url = "` + secure.URL + "/ok\"\nca_pem = <<E\n" + ca + "E\n", ""},
		{"url with any authority", `url = "` + secure.URL + "/ok\"\ninsecure = true", ""},
		{"url with an unknown authority", `url = "` + secure.URL + `/ok"`,
			`Get "` + secure.URL + `/ok": tls: failed to verify certificate: x509: certificate signed by unknown authority`},
		{"url refused", fmt.Sprintf("url = \"http://127.0.0.1:%d/\"", closed), fmt.Sprintf(`Get "http://127.0.0.1:%d/": %s`, closed, refused)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := task(t, c.args)
			if err := module.Check(task); err != nil {
				t.Fatal(err)
			}
			done, why, err := task.look(t.Context(), moduletest.LocalHost(t, ""))
			if err != nil || why != c.want || done != (c.want == "") {
				t.Errorf("done %v, why %q, %v, want %q", done, why, err, c.want)
			}
		})
	}
}

func answer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/busy":
		w.WriteHeader(http.StatusServiceUnavailable)
	case "/move":
		http.Redirect(w, r, "/ok", http.StatusFound)
	default:
		io.WriteString(w, "all is fine")
	}
}

func TestUnreachableHostIsNotGone(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.Dialer = func(context.Context, string, string) (net.Conn, error) {
		return nil, fmt.Errorf("dial: %w", transport.ErrUnreachable)
	}
	done, why, err := task(t, "port = 22\ngone = true").look(t.Context(), h)
	if done || why != "dial: unreachable" || err != nil {
		t.Errorf("done %v, why %q, %v", done, why, err)
	}
}

func TestSilentPortWithBannerIsGivenUp(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { theirs.Close() })
	h := moduletest.NewFakeHost(t, "")
	h.Dialer = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := task(t, "port = 22\nbanner = \"SSH-\"").check(ctx, h); err == nil || err.Error() != `it says "", want "SSH-"` {
		t.Errorf("error %v", err)
	}
}

func TestErrorHasTheLastReasonAndTheEvidence(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	h.AddSecret("opensesame")
	task := task(t, `
		path     = "/no/such"
		within   = "300ms"
		evidence = [["seq", "100"], ["sh", "-c", "echo opensesame; echo oops >&2; exit 3"], ["true"]]
	`)
	var forty strings.Builder
	for i := 61; i <= 100; i++ {
		fmt.Fprintf(&forty, "%d\n", i)
	}
	want := "waited 300ms for /no/such: it is not there\n$ seq 100\n" + forty.String() +
		"$ sh -c 'echo ***; echo oops >&2; exit 3'\n***\noops\n(ended with code 3)\n$ true\n"
	if err := task.wait(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestProgressShowsTheElapsedTimeAndTheReason(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	if err := task(t, "path = \"/no/such\"\nwithin = \"100ms\"").wait(t.Context(), h); err == nil {
		t.Error("no error")
	}
	if got := h.Reports(); len(got) == 0 || got[0].Text != "wait for /no/such, 0s: it is not there" {
		t.Errorf("progress %v", got)
	}
}

func TestContextThatEndsIsNoTimeout(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := task(t, "path = \"/no/such\"\nwithin = \"1h\"").wait(ctx, moduletest.LocalHost(t, ""))
	if err != context.DeadlineExceeded {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestStepNamesWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	for args, want := range map[string]string{
		"port = 22\naddress = \"fd00::1\"":                 "port [fd00::1]:22",
		"path = \"/x\"\ngone = true":                       "/x to be gone",
		"argv = [\"kubectl\", \"get\", \"nodes\"]":         "kubectl get nodes",
		"argv = [\"pgrep\", \"x\"]\ngone = true":           "pgrep x to fail",
		"url = \"https://10.0.0.1:6443/readyz?verbose\"\n": "https://10.0.0.1:6443/readyz?verbose",
	} {
		if got := task(t, args).what(h); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const one = "want exactly one of port, path, argv and url"
	for args, want := range map[string]string{
		``:                              one,
		"port = 1\npath = \"/x\"":       one,
		`port = 70000`:                  "port is 70000, want 1 to 65535",
		"path = \"/x\"\nbanner = \"x\"": "banner is what a port says, want it beside port only",
		"port = 22\nexpect = \"x\"":     "expect is about text, want it beside path, argv or url only: for a port use banner",
		`path = "x"`:                    `path is "x", want an absolute path`,
		`url = "h:80"`:                  `url is "h:80", want a full URL with http or https`,
		"port = 1\nwithin = \"5\"":      `within is "5", want a duration such as "90s"`,
		"port = 1\nevidence = [[]]":     "evidence has an empty command, want a program and its arguments",
		"port = 1\nwatchdog {\nfile = \"/x\"\nargv = []\n}":                          "watchdog has an empty command, want a program and its arguments",
		"port = 1\nwatchdog {\nfile = \"x\"\nargv = [\"true\"]\n}":                   `watchdog: file is "x", want an absolute path`,
		"port = 1\nwatchdog {\nfile = \"/x\"\nsilence = \"5\"\nargv = [\"true\"]\n}": `watchdog: silence is "5", want a duration such as "2m"`,
		"url = \"https://h\"\nca_pem = \"x\"":                                        "ca_pem has no certificate, want PEM text",
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

func TestASlowHostIsWaitedForLonger(t *testing.T) {
	t.Parallel()
	h := moduletest.Slow(moduletest.LocalHost(t, ""), 3)
	late := task(t, `
		path   = "/no/such"
		within = "200ms"
	`)
	want := "waited 600ms (200ms on a machine of ordinary speed; this one is 3 times slower) for /no/such: it is not there"
	if err := late.wait(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

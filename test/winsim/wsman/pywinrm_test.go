package wsman_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/need"
	"kinit/test/winsim/process/processtest"
	"kinit/test/winsim/wsman"
)

// result is what pywinrm made of a session.
type result struct {
	Results [][]any
	Error   string
	Text    string
}

// python is the interpreter that Debian's packages are for.
const python = "/usr/bin/python3"

// pywinrm drives the server by Debian's python3-winrm, whose authors have never
// seen it.
func pywinrm(t *testing.T, protocol, shell map[string]any, commands [][]any) result {
	t.Helper()
	need.Programs(t, "winrm", python)
	if err := exec.CommandContext(t.Context(), python, "-c", "import winrm, requests_ntlm").Run(); err != nil {
		need.Missing(t, "winrm", "python3-winrm is not installed")
	}
	for name, value := range map[string]any{"username": processtest.User, "password": processtest.Password, "operation_timeout_sec": 10, "read_timeout_sec": 30} {
		if _, ok := protocol[name]; !ok {
			protocol[name] = value
		}
	}
	ask, err := json.Marshal(map[string]any{"protocol": protocol, "shell": shell, "commands": commands})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", "testdata/drive.py")
	cmd.Env = append(os.Environ(), "NO_PROXY=*", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(ask)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v: %s", err, stderr.String())
	}
	var r result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

func TestPywinrmRunsCommands(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *wsman.Options) { o.Settings.Certificate = true })
	cert, key := s.mapped(t)
	for name, protocol := range map[string]map[string]any{
		"basic over HTTPS":          {"endpoint": s.https, "transport": "basic", "ca_trust_path": s.pem},
		"certificate":               {"endpoint": s.https, "transport": "certificate", "ca_trust_path": s.pem, "cert_pem": cert, "cert_key_pem": key},
		"NTLM, sealed, over HTTP":   {"endpoint": s.http, "transport": "ntlm", "message_encryption": "always"},
		"NTLM over HTTPS":           {"endpoint": s.https, "transport": "ntlm", "ca_trust_path": s.pem},
		"NTLM, sealed, over HTTPS":  {"endpoint": s.https, "transport": "ntlm", "ca_trust_path": s.pem, "message_encryption": "always"},
		"NTLM, no channel binding":  {"endpoint": s.https, "transport": "ntlm", "ca_trust_path": s.pem, "send_cbt": false},
		"NTLM of the machine, HTTP": {"endpoint": s.http, "transport": "ntlm", "username": `WINSIM\Administrator`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := pywinrm(t, protocol, map[string]any{"working_directory": `C:\k`, "env_vars": map[string]string{"CITY": "Ulm"}, "codepage": 65001}, [][]any{
				{"echo", []string{"Größe", `"a b"`, "& <c>"}, nil},
				{"complain", []string{"loudly"}, nil},
				{"exit", []string{"3221225786"}, nil},
				{"about", []string{"CITY"}, nil},
				{"cat", nil, "first\nsecond\n"},
				{"zeros", []string{"200000"}, nil},
			})
			want := result{Results: [][]any{
				{"Größe \"a b\" & <c>\r\n", "", 0.0},
				{"", "loudly\r\n", 3.0},
				{"", "", 3221225786.0},
				{"Administrator in C:\\k with Ulm on 65001\r\n", "", 0.0},
				{"first\nsecond\n", "", 0.0},
				{strings.Repeat("0", 200000), "", 0.0},
			}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	t.Cleanup(func() { // after the sub-tests, before Close
		if n := s.Shells(); n != 0 {
			t.Errorf("%d shells are left", n)
		}
	})
}

func TestPywinrmIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	strict := start(t, func(o *wsman.Options) { o.Settings.StrictBindings = true })
	const rejected = "the specified credentials were rejected by the server"
	for name, c := range map[string]struct {
		protocol map[string]any
		want     result
	}{
		"wrong password by basic": {map[string]any{"endpoint": s.https, "transport": "basic", "ca_trust_path": s.pem, "password": "x"}, result{Error: "InvalidCredentialsError", Text: rejected}},
		"wrong password by NTLM":  {map[string]any{"endpoint": s.http, "transport": "ntlm", "password": "x"}, result{Error: "InvalidCredentialsError", Text: rejected}},
		"basic over HTTP":         {map[string]any{"endpoint": s.http, "transport": "basic"}, result{Error: "InvalidCredentialsError", Text: rejected}},
		"NTLM without encryption": {map[string]any{"endpoint": s.http, "transport": "ntlm", "message_encryption": "never"}, result{Error: "WinRMTransportError", Text: "Bad HTTP response returned from server. Code 500"}},
		"no channel binding":      {map[string]any{"endpoint": strict.https, "transport": "ntlm", "ca_trust_path": strict.pem, "send_cbt": false}, result{Error: "InvalidCredentialsError", Text: rejected}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, pywinrm(t, c.protocol, nil, nil)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPywinrmPollsOnAfterTimeouts(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.Plan(wsman.Rule{Action: wsman.Receive, Times: 30, Effect: wsman.Effect{Fault: wsman.CodeTimedOut}})
	got := pywinrm(t, map[string]any{"endpoint": s.http, "transport": "ntlm"}, nil, [][]any{{"echo", []string{"late"}, nil}})
	if diff := cmp.Diff(result{Results: [][]any{{"late\r\n", "", 0.0}}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := s.Requests(wsman.Receive); n < 31 {
		t.Errorf("%d requests", n)
	}
}

func TestPywinrmUnderstandsFaults(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *wsman.Options) { o.Settings.Quotas.Operations = 3 })
	got := pywinrm(t, map[string]any{"endpoint": s.http, "transport": "ntlm"}, nil, [][]any{
		{"echo", []string{"1"}, nil}, {"echo", []string{"2"}, nil}, {"echo", []string{"3"}, nil},
	})
	if got.Error != "WinRMError" || !strings.Contains(got.Text, "2150859174") || !strings.Contains(got.Text, "w:QuotaLimit") {
		t.Errorf("%+v", got)
	}
}

package wsman_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kinit/engine/need"
	"kinit/test/winsim/process/processtest"
)

// ansible runs a line by the raw module over Ansible's winrm connection and returns
// what Ansible prints.
func ansible(t *testing.T, endpoint, variables, line string) string {
	t.Helper()
	need.Programs(t, "ansible", "ansible")
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	inventory := filepath.Join(home, "hosts.yml")
	text := fmt.Sprintf("all:\n  hosts:\n    node:\n      ansible_host: 127.0.0.1\n      ansible_port: %s\n      ansible_connection: winrm\n"+
		"      ansible_user: %s\n      ansible_password: '%s'\n      ansible_winrm_scheme: %s\n%s", u.Port(), processtest.User, processtest.Password, u.Scheme, variables)
	if err := os.WriteFile(inventory, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ansible", "-i", inventory, "-m", "ansible.builtin.raw", "-a", line, "node")
	cmd.Dir = home // without anybody's configuration
	cmd.Env = append(os.Environ(), "HOME="+home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "ANSIBLE_NOCOLOR=1", "ANSIBLE_HOME="+home, "NO_PROXY=*", "PYTHONWARNINGS=ignore")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("ansible: %v", err)
	}
	return string(out)
}

func TestAnsibleRunsACommand(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, c := range map[string]struct{ endpoint, variables string }{
		"basic over HTTPS": {s.https, "      ansible_winrm_transport: basic\n      ansible_winrm_ca_trust_path: " + s.pem + "\n"},
		"NTLM over HTTP":   {s.http, "      ansible_winrm_transport: ntlm\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := ansible(t, c.endpoint, c.variables, "echo Größe"), "node | CHANGED | rc=0 >>\nGröße\r\n\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

package ssh_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kinit/engine/transport/ssh"
)

func TestFromSSHConfig(t *testing.T) {
	const user = `
Host nyctea
    HostName 192.0.2.7
    Port 2222
    User admin
    IdentityFile ~/.ssh/lab
    IdentityFile /keys/%r@%h
    ProxyJump gate
    UserKnownHostsFile ~/.ssh/lab_hosts /keys/hosts
Host *.lab
    HostName %h.example.com
    ProxyJump none
Host proxied
    ProxyCommand nc %h %p
Host badport
    Port none
`
	const system = `
Host nyctea *.lab
    User root
    ProxyJump other
    IdentityFile /etc/key
`
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "user"), filepath.Join(dir, "missing"), filepath.Join(dir, "system")}
	for name, text := range map[string]string{files[0]: user, files[2]: system} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]ssh.Alias{
		"nyctea": {
			Config: ssh.Config{
				Name: "nyctea", Address: "192.0.2.7", Port: 2222, User: "admin",
				IdentityFiles: []string{"~/.ssh/lab", "/keys/admin@192.0.2.7", "/etc/key"},
				KnownHosts:    []string{"~/.ssh/lab_hosts", "/keys/hosts", "/etc/ssh/ssh_known_hosts"},
			},
			ProxyJump: "gate",
		},
		"tyto.lab": {Config: ssh.Config{
			Name: "tyto.lab", Address: "tyto.lab.example.com", User: "root", IdentityFiles: []string{"/etc/key"},
		}},
		"192.0.2.9": {Config: ssh.Config{Name: "192.0.2.9", Address: "192.0.2.9"}},
	}
	for alias, want := range cases {
		got, err := ssh.FromSSHConfig(alias, files...)
		if err != nil {
			t.Errorf("%s: %v", alias, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(ssh.Config{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", alias, diff)
		}
	}
	for alias, want := range map[string]string{"proxied": "use ProxyJump", "badport": `"none"`} {
		if _, err := ssh.FromSSHConfig(alias, files...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", alias, err, want)
		}
	}
}

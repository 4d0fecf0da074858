package connection

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kinit/engine/internal/host"
	"kinit/engine/internal/sshconfig"
	"kinit/engine/transport/ssh"
)

func TestInventorySettingsWinOverTheSSHConfig(t *testing.T) {
	t.Parallel()
	alias := sshconfig.Settings{
		HostName: "192.0.2.7", Port: 2222, User: "config", IdentityFiles: []string{"/config"}, UserKnownHosts: []string{"/config/known"},
		Jumps: []sshconfig.Jump{{User: "me", Host: "gate", Port: 23}, {Host: "mid"}},
	}
	files := []string{"/config/known", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
	tests := map[string]struct{ said, want host.Settings }{
		"nothing is said": {
			host.Settings{Name: "a", Address: "a"},
			host.Settings{Name: "a", Address: "192.0.2.7", Port: 2222, User: "config", Via: "me@gate:23,mid", IdentityFiles: []string{"/config"}, KnownHosts: files},
		},
		"all is said": {
			host.Settings{Name: "a", Address: "a", Port: 22, User: "own", Via: "other", IdentityFiles: []string{"/own"}, KnownHosts: []string{"/own/known"}},
			host.Settings{Name: "a", Address: "192.0.2.7", Port: 22, User: "own", Via: "other", IdentityFiles: []string{"/own", "/config"}, KnownHosts: []string{"/own/known"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, asConfigured(test.said, alias), cmpopts.IgnoreUnexported(ssh.Config{}, host.Settings{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

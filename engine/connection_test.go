package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/internal/host"
	"kinit/engine/transport/ssh"
)

func TestInventorySettingsWinOverTheSSHConfig(t *testing.T) {
	t.Parallel()
	alias := ssh.Alias{Config: ssh.Config{
		Address: "192.0.2.7", Port: 2222, User: "config", IdentityFiles: []string{"/config"}, KnownHosts: []string{"/config/known"},
	}, ProxyJump: "gate"}
	tests := map[string]struct{ said, want host.Settings }{
		"nothing is said": {
			host.Settings{Name: "a", Address: "a"},
			host.Settings{Name: "a", Address: "192.0.2.7", Port: 2222, User: "config", Via: "gate", IdentityFiles: []string{"/config"}, KnownHosts: []string{"/config/known"}},
		},
		"all is said": {
			host.Settings{Name: "a", Address: "a", Port: 22, User: "own", Via: "other", IdentityFiles: []string{"/own"}, KnownHosts: []string{"/own/known"}},
			host.Settings{Name: "a", Address: "192.0.2.7", Port: 22, User: "own", Via: "other", IdentityFiles: []string{"/own", "/config"}, KnownHosts: []string{"/own/known"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, asConfigured(test.said, alias)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package sshconfig

import (
	"os"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheParserAgreesWithSSH compares the parser with ssh -G for configurations that cover every keyword kinit uses.
func TestTheParserAgreesWithSSH(t *testing.T) {
	home := currentUser(t).HomeDir
	client := NewResolver(home, os.Environ(), 2).client // one for all, which asks for the defaults once
	if client == nil {
		t.Fatal("there is no program ssh")
	}
	for name, c := range parityCases() {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for file, text := range c.files {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(replaceFolder(text, folder)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			main := filepath.Join(folder, "config")
			if err := os.WriteFile(main, []byte(replaceFolder(c.config, folder)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, host := range c.hosts {
				given := c.given
				given.File = main
				ssh := NewResolver(home, os.Environ(), 2)
				ssh.client = client
				want, wantErr := ssh.Settings(t.Context(), host, given)
				alone := NewResolver(home, os.Environ(), 2)
				alone.client = nil
				got, gotErr := alone.Settings(t.Context(), host, given)
				if (wantErr == nil) != (gotErr == nil) {
					t.Fatalf("%s: ssh: %v; the parser: %v", host, wantErr, gotErr)
				}
				if c.fails != (wantErr != nil) {
					t.Fatalf("%s: ssh: %v", host, wantErr)
				}
				if diff := cmp.Diff(want, got); wantErr == nil && diff != "" {
					t.Errorf("%s (-ssh +parser):\n%s", host, diff)
				}
			}
		})
	}
}

func currentUser(t testing.TB) *user.User {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

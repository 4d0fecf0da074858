package host

import (
	"os"
	"path/filepath"
	"testing"
)

// Two public keys in OpenSSH's format, which no one uses.
const (
	oneKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
)

func TestIdentityIsOfTheAddressAndTheKeysOnRecord(t *testing.T) {
	t.Parallel()
	records := func(text string) []string {
		file := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{file}
	}
	known := records("192.0.2.1 " + oneKey + "\n192.0.2.9 " + otherKey + "\n")
	base := Settings{Name: "web1", Address: "192.0.2.1", KnownHosts: known}
	identity := func(change func(*Settings)) string {
		s := base
		change(&s)
		text, err := Identity(s)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := identity(func(*Settings) {})
	if again := identity(func(s *Settings) { s.KnownHosts = records("# moved\n\n192.0.2.1 " + oneKey) }); again != first {
		t.Errorf("the same keys in another file are another identity: %s, %s", first, again)
	}
	if pinned := identity(func(s *Settings) { s.HostKeys = []string{oneKey} }); pinned != first {
		t.Errorf("the same key, given, is another identity: %s, %s", first, pinned)
	}
	for what, change := range map[string]func(*Settings){
		"another address": func(s *Settings) { s.Address = "192.0.2.2" },
		"another port":    func(s *Settings) { s.Port = 2222 },
		"another user":    func(s *Settings) { s.User = "admin" },
		"another jump":    func(s *Settings) { s.Via = "gate" },
		"another key":     func(s *Settings) { s.KnownHosts = records("192.0.2.1 " + otherKey) },
		"a key given":     func(s *Settings) { s.HostKeys = []string{otherKey} },
		"this machine":    func(s *Settings) { s.Local = true },
	} {
		if identity(change) == first {
			t.Errorf("%s is the same identity", what)
		}
	}
	if _, err := Identity(Settings{Name: "web1", HostKeys: []string{"no key"}}); err == nil {
		t.Error("what is no key has an identity")
	}
}

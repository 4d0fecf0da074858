package sshconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parsed returns the settings of a host by the parser alone.
func parsed(t *testing.T, config, host string) (Settings, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r := NewResolver(currentUser(t).HomeDir, os.Environ(), 2)
	r.client = nil
	return r.Settings(t.Context(), host, Given{File: file})
}

// Criteria that older versions of ssh do not have.
func TestNewerCriteriaOfMatch(t *testing.T) {
	tests := map[string]int{
		"Host alpha\n Tag lab\nMatch tagged lab\n Port 8\n":      8,
		"Host alpha\n Tag lab\nMatch tagged other\n Port 8\n":    0,
		"Match localnetwork 127.0.0.0/8\n Port 8\n":              8,
		"Match localnetwork 203.0.113.0/24,::1/128\n Port 8\n":   8,
		"Match localnetwork 203.0.113.0/24\n Port 8\n":           0,
		"Match sessiontype exec\n Port 8\n":                      8,
		"Match !tagged lab host=alpha # with a comment\n Port 8": 8,
	}
	for config, want := range tests {
		got, err := parsed(t, config, "alpha")
		if err != nil || got.Port != want {
			t.Errorf("%q: port %d, %v; want %d", config, got.Port, err, want)
		}
	}
}

func TestWhatNeedsTheProgramSSHIsAnErrorThatNamesTheLine(t *testing.T) {
	tests := map[string]string{
		"Port 9\nMatch exec \"true\"\n User x\n": "config:2: the criterion exec of Match needs the program ssh, which kinit asks only if HOME is your account's home folder: install OpenSSH's client",
		"Match version 9\n":                      "config:1: the criterion version of Match needs the program ssh",
		"KnownHostsCommand /bin/true\n":          "config:1: KnownHostsCommand needs the program ssh",
		"\nCanonicalizeHostname yes\n":           "config:2: CanonicalizeHostname needs the program ssh",
		"Host alpha\n Prot 22\n":                 `config:2: "prot" is no option of ssh_config(5)`,
		"Port many\n":                            "config:1: Port is a number from 1 to 65535, and not \"many\"",
	}
	for config, want := range tests {
		if _, err := parsed(t, config, "alpha"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", config, err, want)
		}
	}
	for _, config := range []string{"CanonicalizeHostname no\nKnownHostsCommand none\n", "Host beta\n KnownHostsCommand /bin/true\n"} {
		if _, err := parsed(t, config, "alpha"); err != nil {
			t.Errorf("%q: %v", config, err)
		}
	}
}

func TestHostsWithoutDifferencesAreAskedForOnce(t *testing.T) {
	tests := map[string]int{
		"Host *\n IdentityFile ~/.ssh/%h\n User x\nMatch final all\n Compression yes\n": 1,
		"Host alpha\n User x\n":                3,
		"HostName %h.example.com\n":            3,
		"Match user x\n Port 7\n":              3,
		"CanonicalDomains example.com\n":       3,
		"UserKnownHostsFile ~/.ssh/known.%h\n": 3,
		"":                                     0,
		"# nothing\n":                          0,
	}
	for config, want := range tests {
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		r := NewResolver(currentUser(t).HomeDir, os.Environ(), 2)
		for _, host := range []string{"alpha", "beta", "gamma"} {
			s, err := r.Settings(t.Context(), host, Given{File: file})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(s.HostName, host) {
				t.Errorf("%q: the address of %s is %s", config, host, s.HostName)
			}
			if len(s.IdentityFiles) == 1 && !strings.HasSuffix(s.IdentityFiles[0], "/.ssh/"+host) {
				t.Errorf("%q: the key of %s is %s", config, host, s.IdentityFiles[0])
			}
		}
		if got := len(r.answers); got != want {
			t.Errorf("%q: ssh was asked %d times, want %d", config, got, want)
		}
	}
}

func TestNamesOfAConfiguration(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"config":      "Include more\nHost alpha\t\"be ta\" *.lab !x.lab\nHost *\n User x\nMatch host gamma,delta user me\nMatch !host omega\n",
		"more":        "Host included\n",
		"more.unused": "Host unused\n",
	} {
		file := filepath.Join(home, ".ssh", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := NamesIn(home)
	for name, want := range map[string]bool{
		"alpha": true, "be ta": true, "y.lab": true, "x.lab": false, "gamma": true, "delta": true, "included": true,
		"omega": false, "unused": false, "other": false,
	} {
		if got := names.Mention(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := strings.Join(names.Plain(), " "); got != "included alpha be ta gamma delta" {
		t.Errorf("the plain names are %q", got)
	}
}

package inventory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/internal/sshconfig"
	"kinit/engine/secret"
)

// Localhost is the name of this machine, which is always known.
const Localhost = "localhost"

// The values of Settings.Transport.
const (
	SSH   = "ssh"
	WinRM = "winrm"
	Local = "local"
)

// The values of Settings.OS.
const (
	Linux   = "linux"
	Windows = "windows"
)

// The values of Settings.Auth, which are ways to log in over WinRM.
const (
	Basic       = "basic"
	NTLM        = "ntlm"
	Certificate = "certificate"
)

// The values of Settings.BecomeMethod.
const (
	Sudo = "sudo"
	Doas = "doas"
	Su   = "su"
)

// Settings is how one host is reached. It is plain data.
type Settings struct {
	Name         string
	Address      string // a name or an IP address; the host's name if missing
	Port         int    // 0 means the transport's default
	User         string // empty means the transport's default
	Transport    string // SSH, WinRM or Local
	Via          string // the name of the host to go through, empty means none
	Become       string // the user to become after login, empty means none
	BecomeMethod string // Sudo, Doas or Su; empty means Sudo
	// BecomePassword is for sudo, doas or su; empty means that of the run
	BecomePassword secret.Value
	IdentityFiles  []string     // absolute paths of private keys
	KnownHosts     string       // absolute path; empty means ~/.ssh/known_hosts
	HostKeys       []string     // public host keys to accept, as in known_hosts without the name
	PrivateKey     secret.Value // a private key's text, of hosts that tasks declare
	Password       secret.Value // of WinRM
	OS             string       // Linux or Windows; empty means the transport's default
	Auth           string       // of WinRM: Basic, NTLM or Certificate; empty means Basic
	Certificate    string       // of WinRM: the only accepted certificate, in PEM
	// ConnectTimeout is how long each of the connection, the login and a first shell may
	// take; 0 means the transport's default.
	ConnectTimeout time.Duration
	Pace           float64  // how many times slower than an ordinary machine it is; 0 means measure
	FromSSHConfig  bool     // missing settings come from ~/.ssh/config, for the Address
	SSHConfig      string   // a file in place of ~/.ssh/config and the machine's configuration
	Declared       bool     // by a playbook: the passwords of the run are not for this host
	SSHOptions     []string // each as KEYWORD=VALUE of ssh_config(5); they count more than the files
}

// Outside is the settings of a host that no inventory has. The name may have a user and a port, as [USER@]HOST[:PORT], and
// the machines to go through before it, with commas between: GATE,WEB.
func Outside(name string) Settings {
	if name == Localhost {
		return Settings{Name: name, Address: name, Transport: Local}
	}
	s := Settings{Name: name, Address: name, Transport: SSH, FromSSHConfig: true}
	if !strings.ContainsAny(name, "@,:") {
		return s
	}
	jumps, err := sshconfig.ParseJumps(name)
	if err != nil {
		return s
	}
	last := jumps[len(jumps)-1]
	s.Address, s.User, s.Port = last.Host, last.User, last.Port
	if comma := strings.LastIndexByte(name, ','); comma >= 0 {
		s.Via = name[:comma]
	}
	return s
}

// given sets what a host or group block says of how hosts are reached, one setting after the other.
type given []func(*Settings)

// apply overrides settings with the given ones.
func (g given) apply(s *Settings) {
	for _, set := range g {
		set(s)
	}
}

func scalarText(value cty.Value) (text string, ok bool) {
	if value == cty.NilVal || value.IsNull() || !value.Type().IsPrimitiveType() {
		return "", false
	}
	converted, err := convert.Convert(value, cty.String)
	if err != nil {
		return "", false
	}
	return converted.AsString(), true
}

// wholeNumber is a number, or a text with one.
func wholeNumber(value cty.Value) (int, bool) {
	text, ok := scalarText(value)
	var n int
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &n); !ok || err != nil {
		return 0, false
	}
	return n, true
}

// isTrue reads a bool as Ansible does.
func isTrue(text string) (yes, ok bool) {
	text = strings.ToLower(text)
	if slices.Contains([]string{"true", "yes", "on", "1", "t", "y"}, text) {
		return true, true
	}
	return false, slices.Contains([]string{"false", "no", "off", "0", "f", "n"}, text)
}

package host

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
)

// Settings holds how to reach one machine, and its folders.
type Settings struct {
	Name    string // for messages
	Address string // host name or IP address; Name if empty
	Port    int    // the transport's default if 0
	User    string // over SSH the current user if empty

	WinRM       bool         // over WinRM instead of SSH
	Auth        string       // winrm.Basic, NTLM or Certificate; over WinRM only, Basic when empty
	Password    secret.Value // to log in; over WinRM, and over SSH where no key is accepted
	Certificate string       // over WinRM only: the only accepted certificate, in PEM

	// Private keys; over SSH the usual ones if there are no others. Over WinRM a file with
	// the key and the client's certificate.
	IdentityFiles []string
	PrivateKeys   []secret.Value // the same, in PEM
	NoAgent       bool           // do not ask the SSH agent
	HostKeys      []string       // the only accepted public keys, if any are set
	KnownHosts    []string       // files; the user's and the machine's if empty

	// SSH has further settings of an SSH connection; its fields of the same meaning as others here are not used.
	SSH ssh.Config

	OS     module.OS // module.Linux when empty
	Via    string    // the machine to connect through
	Local  bool      // this machine, without any connection
	Become Become
	// BecomePassword is for sudo, doas or su, if they ask.
	BecomePassword secret.Value
	shared         sharedPasswords

	Run string // the name of the run that uses the connection; empty without one

	// ConnectTimeout limits the connection, the login and a first shell, each separately.
	// 15 s when 0.
	ConnectTimeout time.Duration
	KeepAlive      time.Duration // 15 s when 0

	// Pace is how many times slower than an ordinary machine it is; time limits are
	// multiplied by it. When 0 it is measured where needed; on Windows it is 1.
	Pace float64

	// Outputs is a local folder for whole outputs that are too long to keep; if empty, only
	// their beginnings and ends are kept.
	Outputs string

	// Manifests is the folder of the owners' manifests. When empty it is module.Manifests, on
	// Windows module.WindowsManifests.
	Manifests string
}

// system returns the family of the machine's operating system: the value of the settings,
// or the transport's default.
func (s Settings) system() module.OS {
	switch {
	case s.OS != "":
		return s.OS
	case s.WinRM:
		return module.Windows
	}
	return module.Linux
}

// Become is the user to run everything as, and how to become it.
type Become struct {
	User   string // the login user if empty
	Method string // "sudo", "doas" or "su"; sudo if empty
}

func (s Settings) ssh() ssh.Config {
	c := s.SSH
	c.Name, c.Address, c.Port, c.User = s.Name, cmp.Or(s.Address, s.Name), s.Port, s.User
	c.IdentityFiles, c.PrivateKeys, c.UseAgent = s.IdentityFiles, s.PrivateKeys, !s.NoAgent
	c.HostKeys, c.KnownHosts, c.Become, c.BecomeMethod = s.HostKeys, s.KnownHosts, s.Become.User, s.Become.Method
	c.BecomePassword, c.Password = s.becomePassword(), s.loginPassword()
	c.ConnectTimeout, c.HandshakeTimeout, c.KeepAlive = s.ConnectTimeout, s.ConnectTimeout, s.KeepAlive
	c.Windows, c.Run = s.system() == module.Windows, s.Run
	return c
}

// sharedPasswords are the passwords that all connections to a machine share.
type sharedPasswords struct{ login, become *transport.Password }

func (s Settings) becomePassword() *transport.Password {
	return cmp.Or(s.shared.become, transport.NewPassword(s.BecomePassword))
}

func (s Settings) loginPassword() *transport.Password {
	return cmp.Or(s.shared.login, transport.NewPassword(s.Password))
}

// Identity returns a text for how a machine is reached and its known host keys. A
// reinstalled machine, or another one at the same address, has another identity once its
// keys are known.
func Identity(s Settings) (string, error) {
	if s.Local {
		return "this machine as " + s.Become.User, nil
	}
	if s.WinRM {
		return fmt.Sprintf("%s:%d as %s over WinRM through %q, certificate %s", cmp.Or(s.Address, s.Name), s.Port, s.User, s.Via, s.Certificate), nil
	}
	c := s.ssh()
	keys, err := ssh.KnownKeys(c)
	return fmt.Sprintf("%s:%d as %s %s through %q, keys %s", c.Address, c.Port, c.User, c.Become, s.Via, strings.Join(keys, " ")), err
}

// fixedPace returns the pace of the settings, or 1 on Windows, where nothing is measured.
func (s Settings) fixedPace() float64 {
	if s.Pace == 0 && s.system() == module.Windows {
		return pace.Ordinary
	}
	return s.Pace
}

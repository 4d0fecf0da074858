package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/ssh"
)

// Settings says how to reach one machine and where things are on it.
type Settings struct {
	Name    string // for messages
	Address string // host name or IP address; Name when empty
	Port    int    // that of the transport when 0
	User    string // over SSH the current user when empty

	WinRM       bool         // over WinRM instead of SSH
	Auth        string       // winrm.Basic, NTLM or Certificate; over WinRM only, Basic when empty
	Password    secret.Value // over WinRM only
	Certificate string       // over WinRM only: what alone is accepted, in PEM

	// Private keys; over SSH the usual ones when there is no other. Over WinRM one that
	// has the client's certificate too.
	IdentityFiles []string
	PrivateKeys   []secret.Value // the same, in PEM
	NoAgent       bool           // do not ask the SSH agent
	HostKeys      []string       // public keys that alone decide, when there are any
	KnownHosts    []string       // files; the user's and the machine's when empty

	OS     module.OS // module.Linux when empty
	Via    string    // the machine to connect through
	Local  bool      // this machine, without any connection
	Become Become

	ConnectTimeout time.Duration // 15 s when 0
	KeepAlive      time.Duration // 15 s when 0

	// Manifests is the folder of the owners' manifests. When empty it is
	// /var/lib/kinit/clusters, on Windows C:/ProgramData/kinit/clusters.
	Manifests string
}

// system is the family of the machine's operating system: what the settings say, or
// what their transport is for.
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
	User   string // the login's own when empty
	Method string // ssh.Sudo, ssh.Doas or ssh.Su; ssh.Sudo when empty
}

// Open connects as the settings say: to this machine, over WinRM, or over SSH.
func Open(ctx context.Context, s Settings, via transport.Conn) (transport.Conn, error) {
	if s.Local {
		return openLocal(s)
	}
	s.Address = cmp.Or(s.Address, s.Name)
	if s.Address == "" {
		return nil, errors.New("a host needs a name or an address")
	}
	if s.WinRM {
		return openWinRM(ctx, s, via)
	}
	c := ssh.Config{
		Name: s.Name, Address: s.Address, Port: s.Port, User: s.User,
		IdentityFiles: s.IdentityFiles, PrivateKeys: s.PrivateKeys, UseAgent: !s.NoAgent,
		HostKeys: s.HostKeys, KnownHosts: s.KnownHosts, Become: s.Become.User, BecomeMethod: s.Become.Method,
		ConnectTimeout: s.ConnectTimeout, KeepAlive: s.KeepAlive, Windows: s.system() == module.Windows,
	}
	if via != nil {
		c.Dial = via.Dial
	}
	return ssh.Dial(ctx, c)
}

func openLocal(s Settings) (transport.Conn, error) {
	if s.system() == module.Windows {
		return nil, fmt.Errorf("%w: kinit does not run on Windows, so this machine is none", transport.ErrUnreachable)
	}
	if err := s.Become.here(); err != nil {
		return nil, err
	}
	return local.New(), nil
}

// here says why this machine cannot be worked on as the user: kinit has no other
// user's rights.
func (b Become) here() error {
	if b.User == "" {
		return nil
	}
	self, err := user.Current()
	if err == nil && self.Username == b.User {
		return nil
	}
	return fmt.Errorf("%w: this machine is worked on as the user who runs kinit, not as %s: run kinit as %s, or reach the machine over SSH",
		transport.ErrAuth, b.User, b.User)
}

// Package ssh is the transport to machines that run OpenSSH's server, or a compatible one.
//
// A Conn is one verified connection. It has at most three long-lived shells, the workers,
// one more for urgent commands, and one SFTP channel; a command costs one round trip and a
// file task starts no process. Package framing defines the protocol with a worker.
//
// A Windows machine has no such shell. There every command has its own session, in which
// the bootstrap of package powershell runs a script (script.go); a second session kills it
// by taskkill.exe. Files go over the same SFTP channel (windows.go).
//
// The package is the only one that uses golang.org/x/crypto/ssh.
package ssh

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"kinit/engine/secret"
	"kinit/engine/transport/internal/become"
)

// The defaults of a Config. The keepalive follows common advice for ServerAliveInterval;
// four misses detect a lost machine in about a minute.
const (
	defaultPort             = 22
	defaultConnectTimeout   = 15 * time.Second
	defaultHandshakeTimeout = 15 * time.Second
	defaultKeepAlive        = 15 * time.Second
	keepAliveMisses         = 4
)

// Config holds how to reach one machine and how to verify it.
type Config struct {
	Name    string // for messages, and a second name to look up in known_hosts; Address if empty
	Address string // host name or IP address
	Port    int    // 22 when 0
	User    string // the current user when empty

	IdentityFiles []string       // private keys; ~/.ssh/id_{ed25519,ecdsa,rsa} if there is no other key
	PrivateKeys   []secret.Value // private keys in PEM, tried first
	UseAgent      bool           // also try the keys of the agent at SSH_AUTH_SOCK

	// KnownHosts are files in the format of known_hosts(5); missing ones are
	// skipped. When empty they are ~/.ssh/known_hosts and
	// /etc/ssh/ssh_known_hosts.
	KnownHosts []string
	// HostKeys are public keys in the format of authorized_keys. If there are any, only
	// they are accepted.
	HostKeys []string

	// Dial makes the connection to the machine; nil dials directly. For a jump host it is
	// the Dial of that host's Conn.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	Become       string // run everything as this user; the login user if empty
	BecomeMethod string // "sudo", "doas" or "su", without a password; sudo if empty

	ConnectTimeout   time.Duration // for TCP, 15 s when 0
	HandshakeTimeout time.Duration // from then to the end of the login, and for a shell to begin, 15 s when 0
	KeepAlive        time.Duration // between two keepalive requests, 15 s when 0; below 0 for none

	// Windows is set if the machine runs Windows: lines are PowerShell, each in its own
	// session, and Become is not supported.
	Windows bool

	// Run is the name of the run, so that its commands can be found on the machine: they
	// have the variable KINIT_RUN and others that package framing describes. Not on
	// Windows.
	Run string

	shell string // the shell for everything, /bin/sh; tests use others
}

func (c Config) complete() Config {
	c.Name, c.Port = cmp.Or(c.Name, c.Address), cmp.Or(c.Port, defaultPort)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, defaultConnectTimeout)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.KeepAlive = cmp.Or(c.KeepAlive, defaultKeepAlive)
	c.shell = cmp.Or(c.shell, "/bin/sh")
	if c.User == "" {
		c.User = currentUser()
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if len(c.KnownHosts) == 0 {
		c.KnownHosts = ownKnownHosts()
	}
	if len(c.IdentityFiles) == 0 && len(c.PrivateKeys) == 0 {
		c.IdentityFiles = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}
	}
	return c
}

// ownKnownHosts are the known_hosts files that are read without being named.
func ownKnownHosts() []string { return []string{"~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"} }

func (c Config) address() string {
	return net.JoinHostPort(c.Address, strconv.Itoa(c.Port))
}

// label returns the machine's name for messages, with the address if that is different.
func (c Config) label() string {
	if c.Name == c.Address {
		return c.address()
	}
	return c.Name + " (" + c.address() + ")"
}

func (c Config) user() become.User { return become.User{Name: c.Become, Method: c.BecomeMethod} }

// dialler names the user who opens a unix socket, if that may be unexpected.
func (c Config) dialler(network string) string {
	if c.Become == "" || network != "unix" {
		return ""
	}
	return " as " + c.User + ", since the SSH server dials, not " + c.Become
}

func currentUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// expand replaces a leading ~ by the home folder.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

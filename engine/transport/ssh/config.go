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
	"slices"
	"strconv"
	"time"

	"kinit/engine/internal/sshconfig"
	"kinit/engine/secret"
	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/become"
)

// The defaults of a Config. The keepalive follows common advice for ServerAliveInterval;
// four misses detect a lost machine in about a minute.
const (
	defaultPort             = sshconfig.DefaultPort
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

	// IdentityFiles are files with private keys, or with public ones that choose a key of the agent;
	// ~/.ssh/id_{ed25519,ecdsa,rsa} if there is no other key. A certificate beside a key, FILE-cert.pub, belongs to it.
	IdentityFiles    []string
	CertificateFiles []string       // further certificates of these keys and of the agent's
	PrivateKeys      []secret.Value // private keys in PEM, tried first
	UseAgent         bool           // also try the keys of the agent
	AgentSocket      string         // of the agent; SSH_AUTH_SOCK says where it is when empty
	FilesFirst       bool           // offer keys of files before those of the agent, which is not ssh's order
	IdentitiesOnly   bool           // of the agent's keys only those that IdentityFiles or CertificateFiles choose

	// Password is for a server that accepts no key, or wants it as a second factor; nil for none.
	Password *transport.Password
	// Prompter asks for one-time codes and for the passphrases of keys; nil for none.
	Prompter *Prompter

	// Algorithms limits what the two sides may agree on.
	Algorithms Algorithms

	// KnownHosts are files in the format of known_hosts(5); missing ones are
	// skipped, and "none" is no file. When empty they are ~/.ssh/known_hosts and
	// /etc/ssh/ssh_known_hosts, and known_hosts2 beside each.
	KnownHosts []string
	// HostKeys are public keys in the format of authorized_keys. If there are any, only
	// they are accepted.
	HostKeys []string
	// HostKeyAlias is the machine's name in known_hosts and in certificates, without a port; empty for Address and Name.
	HostKeyAlias string
	// KnownHostsCommand returns further lines of known_hosts: at first with a nil key, then for the key that the machine
	// shows. nil for none.
	KnownHostsCommand func(ctx context.Context, key PublicKey) ([]byte, error)

	// RevokedHostKeys is a file with keys, one a line, that are refused; empty for none.
	RevokedHostKeys string
	// RSASize is the fewest bits of RSA keys, of the machine, an authority or the user; 1024 when 0.
	RSASize int

	// Dial makes the connection to the machine; nil dials directly. For a jump host it is
	// the Dial of that host's Conn.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	Become       string // run everything as this user; the login user if empty
	BecomeMethod string // "sudo", "doas" or "su"; sudo if empty
	// BecomePassword is given when sudo, doas or su asks for it; nil for none.
	BecomePassword *transport.Password

	ConnectTimeout   time.Duration // for TCP, 15 s when 0
	HandshakeTimeout time.Duration // from then to the end of the login, and for a shell to begin, 15 s when 0
	KeepAlive        time.Duration // between two keepalive requests, 15 s when 0; below 0 for none
	KeepAliveMisses  int           // unanswered keepalive requests after which the machine is lost, 4 when 0

	// Windows is set if the machine runs Windows: lines are PowerShell, each in its own
	// session, and Become is not supported.
	Windows bool

	// Run is the name of the run, so that its commands can be found on the machine: they
	// have the variable KINIT_RUN and others that package framing describes. Not on
	// Windows.
	Run string

	shell string      // the shell for everything, /bin/sh; tests use others
	way   *become.Way // to the user to become
}

func (c Config) complete() Config {
	c.Name, c.Port = cmp.Or(c.Name, c.Address), cmp.Or(c.Port, defaultPort)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, defaultConnectTimeout)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.KeepAlive = cmp.Or(c.KeepAlive, defaultKeepAlive)
	c.KeepAliveMisses = cmp.Or(c.KeepAliveMisses, keepAliveMisses)
	c.shell = cmp.Or(c.shell, "/bin/sh")
	if c.User == "" {
		c.User = currentUser()
	}
	c.way = become.NewWay(become.User{Name: c.Become, Method: c.BecomeMethod, Login: c.User, Host: c.Name}, c.BecomePassword)
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
func ownKnownHosts() []string {
	return []string{"~/.ssh/known_hosts", "~/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
}

// KnownHostsFiles returns the files of Config.KnownHosts for those of a user and of the machine; nil stands for the usual ones.
func KnownHostsFiles(user, machine []string) []string {
	own := ownKnownHosts()
	if user == nil {
		user = own[:2]
	}
	if machine == nil {
		machine = own[2:]
	}
	return slices.Concat(user, machine)
}

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
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return shell.ExpandHome(path, home)
}

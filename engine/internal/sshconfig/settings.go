// Package sshconfig finds the settings of hosts in the configuration of OpenSSH's client. If the program ssh is installed, it
// reads the configuration ("ssh -G"), so that a host is what it is for ssh; otherwise a parser of this package does.
package sshconfig

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"kinit/engine/shell"
)

// DefaultPort is the port of SSH, which IANA has assigned.
const DefaultPort = 22

// Settings are the settings of one host, after tokens, variables and ~ were replaced. The zero value of each means that the
// configuration does not have it.
type Settings struct {
	HostName string // the address: never empty
	Port     int    // 0 for the usual one
	User     string

	Jumps        []Jump // the machines to go through, the nearest one first
	ProxyCommand string // a line for the user's shell, which is the connection

	IdentityFiles            []string // private keys, or public ones that choose a key of the agent
	CertificateFiles         []string
	IdentitiesOnly           bool
	IdentityAgent            string // the socket of the agent, or "none"
	PubkeyAcceptedAlgorithms string // a list of algorithms, as are the following

	HostKeyAlias      string
	UserKnownHosts    []string // "none" for none
	GlobalKnownHosts  []string
	KnownHostsCommand []string // the words of a command; %H, %I, %K, %t and %f in them are known when a host shows its key
	RevokedHostKeys   string   // a file with keys, or a list as ssh-keygen -k makes it; empty for none
	HostKeyAlgorithms string
	CAAlgorithms      string // by which authorities may sign certificates of hosts
	RSASize           int    // the fewest bits of RSA keys, 0 for the usual number
	KexAlgorithms     string
	Ciphers           string
	MACs              string

	AddressFamily  string // "inet" or "inet6"
	BindAddress    string
	BindInterface  string
	ConnectTimeout time.Duration
	AliveInterval  time.Duration
	AliveCount     int
}

// settings makes sense of the options of a host.
func (o options) settings(host string, user identity) (Settings, error) {
	name, err := tokens{'%': "%", 'h': host}.expand(cmp.Or(o.first("hostname"), host))
	if err != nil {
		return Settings{}, fmt.Errorf("HostName: %w", err)
	}
	s := Settings{
		HostName: name, User: o.first("user"), HostKeyAlias: o.first("hostkeyalias"),
		IdentitiesOnly: isYes(o.first("identitiesonly")),
		BindAddress:    o.first("bindaddress"), BindInterface: unlessNone(o.first("bindinterface")),
		HostKeyAlgorithms: o.first("hostkeyalgorithms"), KexAlgorithms: o.first("kexalgorithms"),
		CAAlgorithms: o.first("casignaturealgorithms"),
		Ciphers:      o.first("ciphers"), MACs: o.first("macs"), PubkeyAcceptedAlgorithms: o.first("pubkeyacceptedalgorithms"),
	}
	if family := lower(o.first("addressfamily")); family != "any" {
		s.AddressFamily = family
	}
	if s.Port, _ = strconv.Atoi(o.first("port")); s.Port == DefaultPort { // was checked
		s.Port = 0
	}
	s.RSASize, _ = strconv.Atoi(o.first("requiredrsasize"))
	s.ConnectTimeout, _ = seconds(o.first("connecttimeout"))
	s.AliveInterval, _ = seconds(o.first("serveraliveinterval"))
	s.AliveCount, _ = strconv.Atoi(o.first("serveralivecountmax"))
	e := &expander{tokens: tokensOf(s, host, user), user: user}
	jumps, err := ParseJumps(e.text("ProxyJump", o.first("proxyjump")))
	if err != nil {
		return Settings{}, err
	}
	s.Jumps = jumps
	e.tokens = tokensOf(s, host, user)
	s.ProxyCommand = e.text("ProxyCommand", unlessNone(o.first("proxycommand")))
	s.IdentityFiles = e.paths("IdentityFile", o["identityfile"])
	s.CertificateFiles = e.paths("CertificateFile", o["certificatefile"])
	s.UserKnownHosts = e.paths("UserKnownHostsFile", o["userknownhostsfile"])
	s.GlobalKnownHosts = e.paths("GlobalKnownHostsFile", o["globalknownhostsfile"])
	if file := unlessNone(o.first("revokedhostkeys")); file != "" {
		s.RevokedHostKeys = e.path("RevokedHostKeys", file)
	}
	s.IdentityAgent = e.agent(o.first("identityagent"))
	s.KnownHostsCommand = e.command(unlessNone(o.first("knownhostscommand")))
	return s, e.err
}

// expander replaces tokens and variables, and keeps the first error.
type expander struct {
	tokens tokens
	user   identity
	err    error
}

func (e *expander) text(keyword, value string) string {
	text, err := e.tokens.expand(value)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("%s: %w", keyword, err)
	}
	return text
}

func (e *expander) path(keyword, value string) string {
	text, err := e.user.variables(value)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("%s: %w", keyword, err)
	}
	return shell.ExpandHome(e.text(keyword, text), e.user.home)
}

func (e *expander) paths(keyword string, values []string) []string {
	var all []string
	for _, value := range values {
		if lower(value) == "none" {
			all = append(all, "none")
			continue
		}
		all = append(all, e.path(keyword, value))
	}
	return all
}

// command parts a command into its words and expands these, but for the tokens of a host's key.
func (e *expander) command(line string) []string {
	all, err := words(line)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("KnownHostsCommand: %w", err)
	}
	later := maps.Clone(e.tokens)
	for _, letter := range []byte("HIKtf") {
		later[letter] = "%" + string(letter)
	}
	inner := &expander{tokens: later, user: e.user}
	for i, word := range all {
		all[i] = inner.path("KnownHostsCommand", word)
	}
	e.err = cmp.Or(e.err, inner.err)
	return all
}

// agent returns the path of an agent's socket, or "none". A text that begins with $ is the name of a variable.
func (e *expander) agent(value string) string {
	switch name, isVariable := strings.CutPrefix(value, "$"); {
	case value == "" || value == "SSH_AUTH_SOCK":
		return ""
	case lower(value) == "none":
		return "none"
	case isVariable && !strings.HasPrefix(name, "{"):
		path, _ := e.user.environ(name)
		return cmp.Or(path, "none")
	}
	return e.path("IdentityAgent", value)
}

func isYes(value string) bool { return lower(value) == "yes" || lower(value) == "true" }

func unlessNone(value string) string {
	if lower(value) == "none" {
		return ""
	}
	return value
}

// seconds reads a time as ssh_config(5) writes it: a number of seconds, or numbers with the units s, m, h, d and w.
func seconds(value string) (time.Duration, error) {
	units := map[byte]time.Duration{
		's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
	}
	var total time.Duration
	for rest := value; rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		number := rest
		unit := time.Second
		if end >= 0 {
			named, ok := units[lower(rest)[end]]
			if !ok {
				return 0, strconv.ErrSyntax
			}
			number, unit, rest = rest[:end], named, rest[end+1:]
		} else {
			rest = ""
		}
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n) * unit
	}
	if value == "" {
		return 0, strconv.ErrSyntax
	}
	return total, nil
}

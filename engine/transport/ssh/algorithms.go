package ssh

import (
	"slices"
	"strings"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/internal/sshconfig"
)

// PublicKey is a public key, of a host or of a user.
type PublicKey = gossh.PublicKey

// Algorithms are lists as ssh_config(5) writes them: names or patterns with commas between, which replace the usual ones;
// with "+" before them they come behind the usual ones, with "^" before them, and with "-" they are taken away. Empty
// lists mean the usual ones.
type Algorithms struct {
	HostKeys     string
	KeyExchanges string
	Ciphers      string
	MACs         string
	PublicKeys   string // of the user's keys
	Authorities  string // of the signatures in certificates of hosts
}

// choose applies a list to the usual algorithms. Those that are secure only in the past are used if the list names them.
func choose(list string, usual, old []string) []string {
	if list == "" {
		return usual
	}
	sign := list[0]
	named := func(from []string) []string {
		var found []string
		for _, pattern := range strings.Split(strings.TrimLeft(list, "+-^"), ",") {
			for _, name := range from {
				if sshconfig.Matches(name, pattern) && !slices.Contains(found, name) {
					found = append(found, name)
				}
			}
		}
		return found
	}
	all := slices.Concat(usual, old)
	without := func(from, some []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(name string) bool { return slices.Contains(some, name) })
	}
	switch found := named(all); sign {
	case '+':
		return append(slices.Clone(usual), without(found, usual)...)
	case '^':
		return append(found, without(usual, found)...)
	case '-':
		return without(usual, named(usual))
	default:
		return found
	}
}

// hostKeyAlgorithms are the algorithms in which a host may prove who it is, the best one first.
func (c Config) hostKeyAlgorithms() []string {
	return choose(c.Algorithms.HostKeys, gossh.SupportedAlgorithms().HostKeys, gossh.InsecureAlgorithms().HostKeys)
}

// negotiable are the other algorithms of a connection.
func (c Config) negotiable() gossh.Config {
	usual, old := gossh.SupportedAlgorithms(), gossh.InsecureAlgorithms()
	var all gossh.Config
	if list := c.Algorithms.KeyExchanges; list != "" {
		all.KeyExchanges = choose(list, usual.KeyExchanges, old.KeyExchanges)
	}
	if list := c.Algorithms.Ciphers; list != "" {
		all.Ciphers = choose(list, usual.Ciphers, old.Ciphers)
	}
	if list := c.Algorithms.MACs; list != "" {
		all.MACs = choose(list, usual.MACs, old.MACs)
	}
	return all
}

// signingAlgorithms are those of a user's key that Config.Algorithms allows, the best one first. A certificate is allowed
// under its own names, and signs under those of its key.
func (c Config) signingAlgorithms(key PublicKey) []string {
	kinds := []string{key.Type()}
	suffix := ""
	if cert, ok := key.(*gossh.Certificate); ok {
		kinds, suffix = []string{cert.Key.Type()}, "-cert-v01@openssh.com"
	}
	if kinds[0] == gossh.KeyAlgoRSA {
		kinds = []string{gossh.KeyAlgoRSASHA512, gossh.KeyAlgoRSASHA256, gossh.KeyAlgoRSA}
	}
	var usual, old []string
	for _, kind := range kinds {
		name := strings.TrimSuffix(kind, "@openssh.com") + suffix
		if suffix == "" {
			name = kind
		}
		if kind == gossh.KeyAlgoRSA || kind == "ssh-dss" {
			old = append(old, name)
		} else {
			usual = append(usual, name)
		}
	}
	allowed := choose(c.Algorithms.PublicKeys, usual, old)
	var all []string
	for i, name := range append(usual, old...) {
		if slices.Contains(allowed, name) {
			all = append(all, kinds[i])
		}
	}
	return all
}

package ssh

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/internal/sshconfig"
)

// The markers at the beginning of a line of known_hosts, which sshd(8) describes.
const (
	authorityMarker = "cert-authority"
	revokedMarker   = "revoked"
)

// knownKey is a line of a known_hosts file.
type knownKey struct {
	file   string
	line   int
	marker string   // authorityMarker, revokedMarker or ""
	hosts  []string // patterns; hashed names begin with "|1|"
	key    gossh.PublicKey
}

func (k knownKey) place() string { return k.file + ":" + strconv.Itoa(k.line) }

// readKnown reads the text of a known_hosts file. Like ssh it passes over lines that it cannot read; it returns what
// is wrong with them.
func readKnown(file string, text []byte) (known []knownKey, problems []string) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		marker, hosts, key, _, _, err := gossh.ParseKnownHosts(line)
		if err != nil {
			reason := strings.TrimPrefix(err.Error(), "ssh: ")
			problems = append(problems, fmt.Sprintf("%s:%d is passed over: %s", file, number, reason))
			continue
		}
		known = append(known, knownKey{file, number, marker, hosts, key})
	}
	return known, problems
}

// knownName is a host as it is written in known_hosts: the port in it unless it is the usual one.
func knownName(host string, port int) string {
	if port == defaultPort {
		return host
	}
	return "[" + host + "]:" + strconv.Itoa(port)
}

// is reports whether a line is about a name. A pattern that begins with "!" takes the line's meaning for the names that
// match it.
func (k knownKey) is(name string) bool {
	name, found := strings.ToLower(name), false
	for _, pattern := range k.hosts {
		if strings.HasPrefix(pattern, "|") {
			found = found || hashedAs(name, pattern)
			continue
		}
		pattern, negated := strings.CutPrefix(strings.ToLower(pattern), "!")
		if !sshconfig.Matches(name, pattern) {
			continue
		}
		if negated {
			return false
		}
		found = true
	}
	return found
}

// hashedAs reports whether a hash is that of a name: |1|SALT|HASH, which is HMAC-SHA1 of the name with the salt as its
// key, both in base64 (HashKnownHosts in ssh_config(5)).
func hashedAs(name, pattern string) bool {
	parts := strings.Split(pattern, "|")
	if len(parts) != 4 || parts[1] != "1" {
		return false
	}
	salt, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	hash, err := base64.StdEncoding.DecodeString(parts[3])
	if err != nil {
		return false
	}
	mac := hmac.New(sha1.New, salt)
	mac.Write([]byte(name))
	return hmac.Equal(mac.Sum(nil), hash)
}

// asAddress is a name with its port, as the library's check of certificates wants it.
func asAddress(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

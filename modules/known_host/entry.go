package knownhost

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// entry is a line of known_hosts without a marker.
type entry struct {
	hosts   []string
	key     ssh.PublicKey
	comment string
}

func parse(line string) (entry, bool) {
	if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
		return entry{}, false
	}
	marker, hosts, key, comment, _, err := ssh.ParseKnownHosts([]byte(line))
	if err != nil || marker != "" {
		return entry{}, false
	}
	return entry{hosts, key, comment}, true
}

func (t *Task) name() string {
	return knownhosts.Normalize("[" + t.Name + "]:" + strconv.Itoa(t.Port))
}

// names reports whether the line is for a machine. Patterns match many machines, and
// are not changed.
func (e entry) names(name string) bool {
	return slices.ContainsFunc(e.hosts, func(one string) bool { return one == name || isHashOf(one, name) })
}

// isHashOf reports whether a hashed name is that of a machine: "|1|salt|hash", HMAC
// with SHA-1, both in base64; man 8 sshd, SSH_KNOWN_HOSTS FILE FORMAT.
func isHashOf(hashed, name string) bool {
	parts := strings.Split(hashed, "|")
	if len(parts) != 4 || parts[0] != "" || parts[1] != "1" {
		return false
	}
	salt, errSalt := base64.StdEncoding.DecodeString(parts[2])
	want, errHash := base64.StdEncoding.DecodeString(parts[3])
	if errSalt != nil || errHash != nil {
		return false
	}
	mac := hmac.New(sha1.New, salt)
	mac.Write([]byte(name))
	return hmac.Equal(mac.Sum(nil), want)
}

func (t *Task) fits(line string, key ssh.PublicKey) bool {
	e, is := parse(line)
	if !is || len(e.hosts) != 1 || !same(e.key, key) {
		return false
	}
	if t.Hashed {
		return isHashOf(e.hosts[0], t.name())
	}
	return e.hosts[0] == t.name()
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

// without returns the line for the other machines that it names, if any.
func (e entry) without(name string) (string, bool) {
	rest := slices.DeleteFunc(slices.Clone(e.hosts), func(one string) bool { return one == name || isHashOf(one, name) })
	text := strings.Join(rest, ",") + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(e.key)))
	return strings.TrimSpace(text + " " + e.comment), len(rest) > 0
}

// line returns the machine's line in the file: an existing one that fits,
// or a new one.
func (t *Task) line(known string, key ssh.PublicKey) (string, error) {
	for one := range strings.Lines(known) {
		if one = strings.TrimSuffix(one, "\n"); t.fits(one, key) {
			return one, nil
		}
	}
	name := t.name()
	if t.Hashed {
		name = knownhosts.HashHostname(name)
	}
	return name + " " + strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), nil
}

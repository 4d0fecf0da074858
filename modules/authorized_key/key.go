package authorizedkey

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// key is a public key.
type key struct {
	id      string   // its fingerprint
	text    string   // type, data and comment
	options []string // of the line it was read from
}

// parseLine reads a line of authorized_keys; comments and blank lines have no key.
func parseLine(line string) (key, bool) {
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return key{}, false
	}
	public, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return key{}, false
	}
	text := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public)))
	if comment != "" {
		text += " " + comment
	}
	return key{id: ssh.FingerprintSHA256(public), text: text, options: options}, true
}

func parseKeys(text string) ([]key, error) {
	var keys []key
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k, ok := parseLine(line)
		switch {
		case strings.Contains(line, "PRIVATE KEY"):
			return nil, fmt.Errorf("key is a private key, want the public one")
		case !ok:
			return nil, fmt.Errorf("key has a line that is no public key, want \"TYPE DATA COMMENT\" as in id_ed25519.pub: %.40s", line)
		case len(k.options) > 0:
			return nil, fmt.Errorf("key has options before the type, want them in options: %.40s", line)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

func has(keys []key, k key) bool {
	return slices.ContainsFunc(keys, func(one key) bool { return one.id == k.id })
}

package htpasswd

import "strings"

// lookup returns the hash of a user.
func lookup(text, user string) (string, bool) {
	for line := range strings.Lines(text) {
		if hash, found := strings.CutPrefix(strings.TrimRight(line, "\r\n"), user+":"); found {
			return hash, true
		}
	}
	return "", false
}

// without returns the text without the user's lines; every line of it ends.
func without(text, user string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, user+":") {
			b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}

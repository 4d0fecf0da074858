package result

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"kinit/engine/event"
)

// Sign returns the signature of a problem: twelve hexadecimal digits that are equal for
// failures of the same kind. It ignores what differs between runs: instance and
// host, numbers, addresses, times, ids and the position in the file.
func Sign(p Problem) string {
	block := event.WithoutKeys(p.Address)
	program := ""
	if p.Command != nil {
		program, _, _ = strings.Cut(p.Command.Line, " ")
	}
	first, _, _ := strings.Cut(p.Detail, "\n")
	if p.Host != "" {
		first = strings.ReplaceAll(first, p.Host, "host")
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Summary, block, program, constant(first)}, "\n")))
	return hex.EncodeToString(sum[:6])
}

// quoted matches text in quotes.
var quoted = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// constant removes the parts of a text that differ between runs: words with a digit in them,
// and quoted text.
func constant(text string) string {
	text = quoted.ReplaceAllString(text, `"…"`)
	words := strings.Fields(text)
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

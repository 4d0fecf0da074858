package result

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Sign makes the signature of a problem: twelve hexadecimal digits that are the same for
// failures of the same kind. What differs from run to run is left out: which instance on
// which host it was, numbers, addresses, times, ids and where it stands in its file.
func Sign(p Problem) string {
	block, _, _ := strings.Cut(p.Address, "[")
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

// constant is a text without what differs from run to run: words with a digit in them,
// and what is quoted.
func constant(text string) string {
	text = regexp.MustCompile(`"[^"]*"|'[^']*'`).ReplaceAllString(text, `"…"`)
	words := strings.Fields(text)
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"sort"
	"strings"
	"sync"
)

// shortest is the least length, in bytes, of a secret that is masked. Shorter
// ones would mask half of every text.
const shortest = 5

// Redactor masks known secrets in text. The zero value knows none. It is safe
// for use by several goroutines.
type Redactor struct {
	mu       sync.RWMutex
	known    map[string]bool
	replacer *strings.Replacer
	splits   *splits
}

// Add makes the values known, each also as base64, URLs, JSON and a shell write
// it, line by line, and broken over lines. Values shorter than five bytes are ignored.
func (r *Redactor) Add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.known)
	for _, value := range values {
		r.add(value)
	}
	if len(r.known) != before {
		r.replacer, r.splits = r.build(), newSplits(r.known)
	}
}

func (r *Redactor) add(value string) {
	if r.known == nil {
		r.known = map[string]bool{}
	}
	for _, form := range forms(value) {
		if len(form) >= shortest {
			r.known[form] = true
		}
	}
}

// forms lists the ways a secret may appear in text.
func forms(value string) []string {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" {
		return nil
	}
	all := append(inBase64(value), inBase64(trimmed)...)
	all = append(all, insideBase64(trimmed)...)
	all = append(all,
		value, trimmed,
		url.QueryEscape(trimmed), url.PathEscape(trimmed), url.User(trimmed).String(),
		strings.ReplaceAll(trimmed, "\n", `\n`),
		strings.ReplaceAll(trimmed, "'", `'\''`),
		inJSON(trimmed, false), inJSON(trimmed, true),
	)
	return append(all, longLines(trimmed)...)
}

// inBase64 lists the alphabets of RFC 4648, with padding and without.
func inBase64(value string) []string {
	return []string{
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
}

// leastInside is the least length of a piece of base64 that is masked.
const leastInside = 8

// insideBase64 lists how a value looks inside the base64 of a longer text: three
// bytes make four letters, so there are three ways. Letters that depend on the
// bytes around the value are left out.
func insideBase64(value string) []string {
	var all []string
	for before := range 3 {
		text := strings.Repeat("\x00", before) + value
		from, to := (before*8+5)/6, len(text)*8/6
		if to-from < leastInside {
			continue
		}
		all = append(all, base64.StdEncoding.EncodeToString([]byte(text))[from:to], base64.URLEncoding.EncodeToString([]byte(text))[from:to])
	}
	return all
}

// inJSON is the inside of a JSON string. Go escapes <, > and & unless told not to;
// others do not.
func inJSON(value string, html bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(html)
	if encoder.Encode(value) != nil {
		return "" // a string can always be encoded
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// longLines returns the lines of a multi-line secret that are worth masking on
// their own; the armour around a key is no secret.
func longLines(value string) []string {
	if !strings.Contains(value, "\n") {
		return nil
	}
	var lines []string
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) >= 16 && !strings.HasPrefix(line, "-----") {
			lines = append(lines, line)
		}
	}
	return lines
}

// build makes the replacer, the longest secrets first so that a secret inside
// another leaves nothing of the longer one behind.
func (r *Redactor) build() *strings.Replacer {
	all := make([]string, 0, len(r.known))
	for form := range r.known {
		all = append(all, form)
	}
	sort.Slice(all, func(i, j int) bool {
		if len(all[i]) != len(all[j]) {
			return len(all[i]) > len(all[j])
		}
		return all[i] < all[j]
	})
	pairs := make([]string, 0, 2*len(all))
	for _, form := range all {
		pairs = append(pairs, form, mask)
	}
	return strings.NewReplacer(pairs...)
}

// Redact returns the text with every known secret masked.
func (r *Redactor) Redact(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.replacer == nil || text == "" {
		return text
	}
	return r.splits.redact(r.replacer.Replace(text))
}

// RedactLine is Redact for a line whose neighbours are shown apart from it: one
// that is a piece of a secret is masked altogether.
func (r *Redactor) RedactLine(line string) string {
	line = r.Redact(line)
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.splits != nil && r.splits.fragment(line) {
		return mask
	}
	return line
}

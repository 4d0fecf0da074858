package secret

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Shortest is the least length, in bytes, of a secret that is masked. Shorter
// ones would mask half of every text.
const Shortest = 5

// Redactor masks known secrets in text. The zero value masks nothing. It is safe for use by
// several goroutines.
type Redactor struct {
	mu       sync.RWMutex
	values   map[string]bool // as they were added
	known    map[string]bool // the forms of these
	replacer *strings.Replacer
	splits   *splits
	stale    bool // replacer and splits lack what was added last
}

// Add adds secrets to mask, each also in the forms of base64, hexadecimal digits, URLs,
// JSON, HTML, HCL and shells, line by line, and broken over lines. Values shorter than
// Shortest are ignored. A nil Redactor drops all.
func (r *Redactor) Add(values ...string) {
	if r == nil || r.has(values) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.values, r.known = map[string]bool{}, map[string]bool{}
	}
	before := len(r.known)
	for _, value := range values {
		if r.values[value] || len(value) < Shortest {
			continue
		}
		r.values[value] = true
		for _, form := range forms(value) {
			if len(form) >= Shortest {
				r.known[form] = true
			}
		}
	}
	r.stale = r.stale || len(r.known) != before
}

// has reports whether all values were added or are too short.
func (r *Redactor) has(values []string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return !slices.ContainsFunc(values, func(value string) bool { return len(value) >= Shortest && !r.values[value] })
}

// current returns the replacer for all added secrets, nil without any.
func (r *Redactor) current() (*strings.Replacer, *splits) {
	r.mu.RLock()
	replacer, splits, stale := r.replacer, r.splits, r.stale
	r.mu.RUnlock()
	if !stale {
		return replacer, splits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stale {
		r.replacer, r.splits, r.stale = r.build(), newSplits(r.known), false
	}
	return r.replacer, r.splits
}

// build makes the replacer, the longest secrets first so that no part of a secret that
// contains another one remains.
func (r *Redactor) build() *strings.Replacer {
	all := slices.SortedFunc(maps.Keys(r.known), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(all))
	for _, form := range all {
		pairs = append(pairs, form, mask)
	}
	return strings.NewReplacer(pairs...)
}

// Redact returns the text with every known secret masked.
func (r *Redactor) Redact(text string) string {
	replacer, splits := r.current()
	if replacer == nil || text == "" {
		return text
	}
	return splits.redact(replacer.Replace(text))
}

// RedactLine is Redact for a line that is shown apart from its neighbours: a line that is a
// piece of a secret is masked completely.
func (r *Redactor) RedactLine(line string) string {
	line = r.Redact(line)
	if _, splits := r.current(); splits != nil && splits.fragment(line) {
		return mask
	}
	return line
}

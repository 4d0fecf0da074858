package content

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"kinit/engine/lists"
	"kinit/engine/textdiff"
)

// patch is what an owner's edits have changed in a file that others edit too, from the top to the bottom.
type patch []hunk

// hunk is lines in place of other lines. Added lines may be secret, so they are recorded by their hashes.
type hunk struct {
	Below   string   `json:"below,omitempty"` // the hash of the line above
	Added   []string `json:"added,omitempty"` // hashes
	Removed []string `json:"removed,omitempty"`
}

func hashOf(line string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(line)))[:32] }

// between returns what makes one text of another.
func between(before, after []string) (p patch) {
	for _, c := range textdiff.Changes([]byte(Join(before)), []byte(Join(after))) {
		h := hunk{Added: lists.Map(c.Added, hashOf), Removed: c.Removed}
		if len(c.Above) > 0 {
			h.Below = hashOf(c.Above[0])
		}
		p = append(p, h)
	}
	return p
}

// undo takes the patch out of a text. Lines that others have changed since are theirs, and stay.
func (p patch) undo(have []string) []string {
	for _, h := range slices.Backward(p) {
		have = h.undo(have)
	}
	return have
}

// adds reports whether the patch has added a line.
func (p patch) adds(line string) bool {
	return slices.ContainsFunc(p, func(h hunk) bool { return slices.Contains(h.Added, hashOf(line)) })
}

func (h hunk) undo(have []string) []string {
	at := h.find(have)
	switch {
	case len(h.Added) > 0 && at < 0:
		return have
	case len(h.Added) == 0 && at < 0:
		if at = len(have); index(have, h.Removed) >= 0 {
			return have
		}
	case len(h.Added) == 0 && index(have[at:min(at+len(h.Removed), len(have))], h.Removed) == 0:
		return have // they are back
	}
	return slices.Concat(have[:at], h.Removed, have[at+len(h.Added):])
}

// find returns the index of the first added line, or of the place of the removed ones, or -1. Of several places the one
// below the line of that time counts, or else the last one if lines were added.
func (h hunk) find(have []string) int {
	last := -1
	for at := range len(have) - len(h.Added) + 1 {
		switch {
		case !h.is(have[at : at+len(h.Added)]):
		case h.below(have, at):
			return at
		case len(h.Added) > 0:
			last = at
		}
	}
	return last
}

// index returns where lines are among others, or -1.
func index(have, want []string) int {
	for at := range len(have) - len(want) + 1 {
		if slices.Equal(have[at:at+len(want)], want) {
			return at
		}
	}
	return -1
}

func (h hunk) below(have []string, at int) bool {
	if at == 0 {
		return h.Below == ""
	}
	return hashOf(have[at-1]) == h.Below
}

func (h hunk) is(have []string) bool {
	return slices.EqualFunc(have, h.Added, func(line, hash string) bool { return hashOf(line) == hash })
}

package secret

import (
	"slices"
	"strings"
)

// splits finds secrets that a program has broken over lines: base64 wrapped at 76
// columns, indented in YAML, with the signs of a diff, or with \n in JSON. It also finds those
// with characters in them that a terminal does not show: colours, control characters, and the
// NULs of UTF-16.
type splits struct {
	starts  [1 << 16]bool       // the first two bytes of forms: most texts need only this check
	byStart map[string][]string // forms without breaks by their first bytes, the longest first
}

func newSplits(known map[string]bool) *splits {
	s := &splits{byStart: map[string][]string{}}
	seen := map[string]bool{}
	for form := range known {
		text, _ := unbroken(form, false)
		if len(text) >= Shortest && !seen[text] {
			seen[text] = true
			s.starts[pair(text)] = true
			s.byStart[text[:Shortest]] = append(s.byStart[text[:Shortest]], text)
		}
	}
	for _, forms := range s.byStart {
		slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	}
	return s
}

// redact masks found secrets, including line breaks and invisible characters in them.
func (s *splits) redact(text string) string {
	if !strings.Contains(text, `\n`) && strings.IndexFunc(text, invisible) < 0 {
		return text
	}
	// A sign after a line break may belong to a diff or to the secret.
	return s.pass(s.pass(text, false), true)
}

func (s *splits) pass(text string, signs bool) string {
	joined, at := unbroken(text, signs)
	var out strings.Builder
	done := 0
	for i := 0; i+Shortest <= len(joined); i++ {
		if !s.starts[pair(joined[i:])] {
			continue
		}
		length := s.match(joined[i:])
		if length == 0 {
			continue
		}
		out.WriteString(text[done:at[i]])
		out.WriteString(mask)
		done = at[i+length-1] + 1
		i += length - 1
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

func pair(text string) uint16 { return uint16(text[0])<<8 | uint16(text[1]) }

// leastEdge is the least length, in bytes, of the beginning or the end of a secret
// that is recognised at the edge of a line.
const leastEdge = 8

// fragment reports whether a line is a piece of a secret, or ends or begins with one.
func (s *splits) fragment(line string) bool {
	text, _ := unbroken(line, false)
	if len(text) < Shortest {
		return false
	}
	for _, forms := range s.byStart {
		for _, form := range forms {
			if strings.Contains(form, text) || edge(text, form) {
				return true
			}
		}
	}
	return false
}

// edge reports whether a text ends with the beginning of a secret, or begins with
// its end.
func edge(text, form string) bool {
	if len(form) < leastEdge {
		return false
	}
	if i := strings.LastIndex(text, form[:leastEdge]); i >= 0 && strings.HasPrefix(form, text[i:]) {
		return true
	}
	i := strings.Index(text, form[len(form)-leastEdge:])
	return i >= 0 && strings.HasSuffix(form, text[:i+leastEdge])
}

// match returns the length of the longest secret that the text starts with, or 0.
func (s *splits) match(text string) int {
	for _, form := range s.byStart[text[:Shortest]] {
		if strings.HasPrefix(text, form) {
			return len(form)
		}
	}
	return 0
}

// unbroken returns a text without line breaks, blanks and invisible characters, and the position of each byte.
// Blanks are removed because a secret that was broken at a blank may have it on either
// side. With signs, a + or - that starts a line is left out too.
func unbroken(text string, signs bool) (string, []int) {
	out, at := make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i := 0; i < len(text); {
		end := lineBreak(text, i)
		if end == i {
			skipped := unseen(text[i:])
			if skipped == 0 && text[i] != ' ' && text[i] != '\t' {
				out, at = append(out, text[i]), append(at, i)
			}
			i += max(1, skipped)
			continue
		}
		if n := len(out); n > 0 && out[n-1] == '\\' && at[n-1] == i-1 {
			out, at = out[:n-1], at[:n-1]
		}
		i = blanks(text, end)
		if signs && i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
	}
	return string(out), at
}

// lineBreak returns the end of the line break at i, or i without one: a real one, or an
// escaped one as in JSON and C.
func lineBreak(text string, i int) int {
	switch {
	case text[i] == '\n', text[i] == '\r':
		return i + 1
	case text[i] == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 'r'):
		return i + 2
	}
	return i
}

func blanks(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

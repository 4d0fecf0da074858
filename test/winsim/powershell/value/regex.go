package value

import (
	"strings"

	"time"

	"github.com/dlclark/regexp2"
)

// Regex is a System.Text.RegularExpressions.Regex.
type Regex struct {
	Pattern    string
	IgnoreCase bool
	compiled   *regexp2.Regexp
}

// Match is one place where a pattern was found. Offsets count UTF-16 units.
type Match struct {
	Group
	Groups []Group // the first is the whole
}

// Group is a part of a match.
type Group struct {
	Name    string // its number, or the name it was given
	Value   string
	Offset  int
	Length  int
	Success bool
}

// NewRegex compiles a pattern of .NET's regular expressions.
func NewRegex(pattern string, ignoreCase bool) (*Regex, error) {
	options := regexp2.None
	if ignoreCase {
		options = regexp2.IgnoreCase
	}
	compiled, err := regexp2.Compile(pattern, regexp2.RegexOptions(options))
	if err != nil {
		return nil, NewException("System.ArgumentException", "parsing \""+pattern+"\" - "+err.Error())
	}
	compiled.MatchTimeout = 30 * time.Second
	return &Regex{Pattern: pattern, IgnoreCase: ignoreCase, compiled: compiled}, nil
}

func convertRegex(v any) (any, error) {
	if r, ok := Base(v).(*Regex); ok {
		return r, nil
	}
	return NewRegex(String(v), false)
}

// Find is the first match, or nil.
func (r *Regex) Find(text string) (*Match, error) {
	m, err := r.compiled.FindStringMatch(text)
	if err != nil || m == nil {
		return nil, err
	}
	return newMatch(m, []rune(text)), nil
}

// FindAll are all matches.
func (r *Regex) FindAll(text string) ([]*Match, error) {
	runes := []rune(text)
	var all []*Match
	m, err := r.compiled.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = r.compiled.FindNextMatch(m) {
		all = append(all, newMatch(m, runes))
	}
	return all, err
}

// Replace replaces all matches, or the first count of them if it is not negative.
func (r *Regex) Replace(text, replacement string, count int) (string, error) {
	return r.compiled.Replace(text, replacement, -1, count)
}

// Split cuts a text at matches, into at most count pieces if it is positive. What
// groups matched is in the result too.
func (r *Regex) Split(text string, count int) ([]string, error) {
	runes := []rune(text)
	var pieces []string
	from := 0
	m, err := r.compiled.FindRunesMatch(runes)
	for ; m != nil && err == nil && (count <= 0 || len(pieces) < count-1); m, err = r.compiled.FindNextMatch(m) {
		pieces = append(pieces, string(runes[from:m.Index]))
		for _, g := range m.Groups()[1:] {
			if len(g.Captures) > 0 {
				pieces = append(pieces, g.String())
			}
		}
		from = m.Index + m.Length
	}
	return append(pieces, string(runes[from:])), err
}

func newMatch(m *regexp2.Match, text []rune) *Match {
	out := &Match{}
	for _, g := range m.Groups() {
		group := Group{Name: g.Name, Success: len(g.Captures) > 0}
		if group.Success {
			group.Value = g.String()
			group.Offset = UnitLength(string(text[:g.Index]))
			group.Length = UnitLength(group.Value)
		}
		out.Groups = append(out.Groups, group)
	}
	out.Group = out.Groups[0]
	return out
}

// Escape is a text as a pattern that matches the text alone.
func Escape(text string) string {
	return strings.NewReplacer(`\]`, "]", `\}`, "}").Replace(regexp2.Escape(text))
}

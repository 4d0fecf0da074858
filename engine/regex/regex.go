// Package regex is regular expressions in Go's syntax, and, beyond it, with look-ahead,
// look-behind and references to groups.
//
// Go's own engine needs time in proportion to the text, and takes every expression that it
// knows. All others go to a backtracking engine, which has a time limit for each text.
package regex

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"kinit/engine/lists"
)

// longest is how long the backtracking engine may work on one text.
const longest = 5 * time.Second

// Regexp is a regular expression. It is safe for use by several goroutines.
type Regexp struct {
	plain *regexp.Regexp  // nil for an expression that Go's engine does not know
	rich  *regexp2.Regexp // only then
}

// Compile reads an expression.
func Compile(expression string) (*Regexp, error) { return compile(expression, "", 0) }

// CompileLines reads an expression in which "^" and "$" match at the ends of each line.
func CompileLines(expression string) (*Regexp, error) {
	if _, err := Compile(expression); err != nil {
		return nil, err // without the flag, which the user did not write
	}
	return compile(expression, "(?m)", regexp2.Multiline)
}

func compile(expression, flag string, option regexp2.RegexOptions) (*Regexp, error) {
	plain, err := regexp.Compile(flag + expression)
	if err == nil {
		return &Regexp{plain: plain}, nil
	}
	if !beyond(err) {
		return nil, err
	}
	rich, err := regexp2.Compile(expression, regexp2.RE2|option)
	if err != nil {
		return nil, err
	}
	if mixed(rich.GetGroupNames()) {
		return nil, errors.New("some groups have names and others have none, so that it is not plain how they are counted: want names for all or for none")
	}
	rich.MatchTimeout = longest
	return &Regexp{rich: rich}, nil
}

// mixed reports whether some groups have names and others have none: the engine counts all
// that have one after all others, and Go's in the order in which they stand.
func mixed(names []string) bool {
	named := slices.DeleteFunc(slices.Clone(names), isNumber)
	return len(named) > 0 && len(names)-len(named) > 1 // the whole match has the name 0
}

func isNumber(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil
}

// beyond reports whether an error of Go's engine is that it does not know a part of the
// expression, which the other engine may know.
func beyond(err error) bool {
	wrong, ok := errors.AsType[*syntax.Error](err)
	return ok && (wrong.Code == syntax.ErrInvalidPerlOp || wrong.Code == syntax.ErrInvalidEscape || wrong.Code == syntax.ErrInvalidNamedCapture)
}

// Match reports whether the expression matches a part of a text.
func (r *Regexp) Match(text string) (bool, error) {
	if r.plain != nil {
		return r.plain.MatchString(text), nil
	}
	found, err := r.rich.MatchString(text)
	return found, r.explain(err)
}

// Find returns the first match with its groups, nil if there is none: the whole match, then
// each group, empty if it took no part.
func (r *Regexp) Find(text string) ([]string, error) {
	if r.plain != nil {
		return r.plain.FindStringSubmatch(text), nil
	}
	match, err := r.rich.FindStringMatch(text)
	if err != nil || match == nil {
		return nil, r.explain(err)
	}
	return groups(match), nil
}

// FindAll returns all matches that do not overlap, each as Find does.
func (r *Regexp) FindAll(text string) ([][]string, error) {
	if r.plain != nil {
		return r.plain.FindAllStringSubmatch(text, -1), nil
	}
	var all [][]string
	match, err := r.rich.FindStringMatch(text)
	for ; err == nil && match != nil; match, err = r.rich.FindNextMatch(match) {
		all = append(all, groups(match))
	}
	return all, r.explain(err)
}

// Names returns the names of the groups, at their numbers; a group without a name, and the
// whole match, have an empty one.
func (r *Regexp) Names() []string {
	if r.plain != nil {
		return r.plain.SubexpNames()
	}
	names := r.rich.GetGroupNames()
	for i, name := range names {
		if isNumber(name) {
			names[i] = ""
		}
	}
	return names
}

// Index returns where the first match begins and ends, in bytes.
func (r *Regexp) Index(text string) (start, end int, found bool, err error) {
	if r.plain != nil {
		place := r.plain.FindStringIndex(text)
		if place == nil {
			return 0, 0, false, nil
		}
		return place[0], place[1], true, nil
	}
	if err := readable(text); err != nil {
		return 0, 0, false, err
	}
	match, err := r.rich.FindStringMatch(text)
	if err != nil || match == nil {
		return 0, 0, false, r.explain(err)
	}
	runes := []rune(text) // the engine counts these
	start = len(string(runes[:match.Index]))
	return start, start + len(match.String()), true, nil
}

// Replace replaces all matches. In the replacement, "$1" and "${1}" are the text of a group,
// "$name" and "${name}" that of a named one, and "$$" is a dollar sign.
func (r *Regexp) Replace(text, replacement string) (string, error) {
	if r.plain != nil {
		return r.plain.ReplaceAllString(text, replacement), nil
	}
	if err := readable(text); err != nil {
		return "", err
	}
	filler := r.filler()
	replaced, err := r.rich.ReplaceFunc(text, func(match regexp2.Match) string {
		found, places := "", []int{}
		for _, group := range groups(&match) {
			places = append(places, len(found), len(found)+len(group))
			found += group
		}
		return string(filler.ExpandString(nil, replacement, found, places))
	}, -1, -1)
	return replaced, r.explain(err)
}

// readable returns an error for a text that the backtracking engine would change, since it reads characters, not bytes.
func readable(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return errors.New("the text is not UTF-8, and expressions with look-ahead, look-behind or references to groups need that: write a simpler one")
}

// filler returns an expression of Go's engine with the same groups, which fills in replacements by
// the rules of Go.
func (r *Regexp) filler() *regexp.Regexp {
	all := ""
	for _, name := range r.Names()[1:] {
		group := "(?P<" + name + ">)"
		if _, err := regexp.Compile(group); err != nil { // it has no name, or one that Go does not know
			group = "()"
		}
		all += group
	}
	return regexp.MustCompile(all)
}

func (r *Regexp) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the expression %q needs more than %s for the text: make it simpler, as with fewer \".*\"", r.rich.String(), r.rich.MatchTimeout)
}

func groups(match *regexp2.Match) []string {
	return lists.Map(match.Groups(), func(group regexp2.Group) string { return group.String() })
}

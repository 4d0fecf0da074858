package diag

import (
	"slices"
	"strconv"
	"strings"

	"kinit/engine/lists"
)

// Near returns the sentence that offers the names most like a mistyped one, with a
// space before it, or nothing when none is like it.
func Near(given string, names []string) string {
	found := nearestOf(given, names)
	if len(found) == 0 {
		return ""
	}
	quoted := lists.Map(found[:min(len(found), nearest)], strconv.Quote)
	return " Did you mean " + strings.Join(quoted, " or ") + "?"
}

// Mistyped reports whether one of the names that were given is none of the known ones,
// and was probably meant to be a certain one of them.
func Mistyped(name string, known, given []string) bool {
	for _, g := range given {
		if !slices.Contains(known, g) && slices.Contains(nearestOf(g, known), name) {
			return true
		}
	}
	return false
}

// nearestOf lists the names most like a given one, sorted.
func nearestOf(given string, names []string) []string {
	best := max(2, len(given)/3) + 1
	var found []string
	for _, name := range names {
		switch d := distance(strings.ToLower(given), strings.ToLower(name), best); {
		case d >= max(len(given), len(name)):
			// no letter is left of it
		case d < best:
			best, found = d, []string{name}
		case d == best && len(found) > 0:
			found = append(found, name)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	// An end that is missing is likelier than another letter.
	longer := slices.DeleteFunc(slices.Clone(found), func(name string) bool { return !strings.HasPrefix(name, given) })
	if len(longer) > 0 {
		return longer
	}
	return found
}

// nearest is how many names Near offers at most.
const nearest = 3

// distance is the number of letters to add, remove, change or swap with their
// neighbour to make one text of the other; it may give up at limit.
func distance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d > limit || -d > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

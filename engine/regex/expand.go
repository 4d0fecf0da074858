package regex

import (
	"strconv"
	"strings"

	"github.com/dlclark/regexp2"
)

// expand fills a replacement in for a match, by the rules of Go's regexp.Expand.
func expand(replacement string, match *regexp2.Match) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(replacement, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		replacement = after
		if rest, ok := strings.CutPrefix(after, "$"); ok {
			out.WriteByte('$')
			replacement = rest
			continue
		}
		name, rest, ok := groupName(after)
		if !ok {
			out.WriteByte('$')
			continue
		}
		replacement = rest
		out.WriteString(group(match, name))
	}
}

// groupName cuts the name of a group, perhaps in braces, from the beginning of a text.
func groupName(text string) (name, rest string, ok bool) {
	inner, braces := strings.CutPrefix(text, "{")
	end := strings.IndexFunc(inner, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	if end < 0 {
		end = len(inner)
	}
	name, rest = inner[:end], inner[end:]
	if braces {
		if rest, ok = strings.CutPrefix(rest, "}"); !ok {
			return "", "", false
		}
	}
	return name, rest, name != ""
}

// group returns the text of a group, empty for one that took no part or does not exist.
func group(match *regexp2.Match, name string) string {
	found := match.GroupByName(name)
	if number, err := strconv.Atoi(name); err == nil {
		found = match.GroupByNumber(number)
	}
	if found == nil {
		return ""
	}
	return found.String()
}

package winenv

import (
	"slices"
	"strings"
)

// native returns a path in Windows' form.
func native(element string) string { return strings.ReplaceAll(element, "/", `\`) }

// same reports whether two elements are the same path: it ignores case, quotes
// and a backslash at the end.
func same(a, b string) bool { return strings.EqualFold(plain(a), plain(b)) }

func plain(element string) string {
	text := strings.Trim(strings.TrimSpace(native(element)), `"`)
	return strings.TrimRight(text, `\`)
}

func contains(list []string, element string) bool {
	return slices.ContainsFunc(list, func(have string) bool { return same(have, element) })
}

// without returns the list without the elements.
func without(list, elements []string) []string {
	var kept []string
	for _, have := range list {
		if !contains(elements, have) {
			kept = append(kept, have)
		}
	}
	return kept
}

// missing lists the elements of the second list that the first lacks.
func missing(first, second string) []string {
	return without(strings.Split(second, ";"), strings.Split(first, ";"))
}

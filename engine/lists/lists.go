// Package lists has what the package slices of the standard library lacks.
package lists

import "strings"

// Count returns how many of the conditions hold.
func Count(conditions ...bool) int {
	n := 0
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

// Map returns the result of a function for each element, in order; nil for none.
func Map[T, U any](list []T, of func(T) U) []U {
	var results []U
	for _, one := range list {
		results = append(results, of(one))
	}
	return results
}

// And joins names as in a sentence: "a, b and c".
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Package lists has what the package slices of the standard library lacks.
package lists

// Map returns the result of a function for each element, in order; nil for none.
func Map[T, U any](list []T, of func(T) U) []U {
	var results []U
	for _, one := range list {
		results = append(results, of(one))
	}
	return results
}

package spec

import (
	"slices"

	"kinit/engine/diag"
)

// Whole reports whether a spec with these mistakes has all its blocks, so that nothing is missing of
// what others refer to.
func Whole(mistakes diag.List) bool {
	return !slices.ContainsFunc(mistakes, func(d diag.Diagnostic) bool { return !d.Warning && !mild(d.Summary) })
}

// mild reports whether a block with this mistake stays.
func mild(summary string) bool {
	switch summary {
	case "Unexpected argument", "Unknown argument", "Unknown stage", "Conflicting arguments", "Invalid tag", "Duplicate block":
		return true
	}
	return false
}

// Read reports whether at least a part of the spec was read.
func Read(mistakes diag.List) bool {
	return !slices.ContainsFunc(mistakes, func(d diag.Diagnostic) bool { return !d.Warning && d.Subject == nil })
}

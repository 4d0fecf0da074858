package content

import (
	"bytes"
	"io/fs"
	"unicode/utf8"

	"kinit/engine/textdiff"
)

// DiffBytes is the largest text that is shown as a diff.
const DiffBytes = 64 << 10

// Diff returns a unified diff of two texts, or "" if one is not a text or longer
// than 64 KiB.
func Diff(path string, before, after []byte) string {
	if !isText(before) || !isText(after) {
		return ""
	}
	return textdiff.Unified(path, before, after)
}

func isText(data []byte) bool {
	return len(data) <= DiffBytes && utf8.Valid(data) && !bytes.ContainsRune(data, 0)
}

// private reports whether users other than the owner cannot read a file of that mode;
// its content is then not shown. Mode 0 means unknown and is not private.
func private(mode fs.FileMode) bool {
	return mode != 0 && mode.Perm()&0o044 == 0
}

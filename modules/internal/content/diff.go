package content

import (
	"bytes"
	"io/fs"
	"unicode/utf8"

	"kinit/engine/textdiff"
)

// DiffBytes is the largest text that is shown as a diff.
const DiffBytes = 64 << 10

// Diff is a unified diff of two texts, or nothing where one is no text or longer
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

// private tells whether others than the owner may not read a file of that mode;
// its content is then not shown. Mode 0 is not known and not private.
func private(mode fs.FileMode) bool {
	return mode != 0 && mode.Perm()&0o044 == 0
}

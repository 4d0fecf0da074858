package iso

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"
)

// The longest name in the plain tree without its version, and the parts a longer one
// is cut to: the beginning, letters that follow from the whole name, the extension.
const (
	plainMax    = 28
	plainHead   = 14
	plainDigest = 8
	plainExt    = 5
)

// plainName is a file's name in the plain tree. Linux shows it in lower case and
// without what follows the last dot.
func plainName(f File) string {
	name := f.Name
	if len(name) > plainMax {
		ext := path.Ext(name)
		name = name[:plainHead] + "_" + fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:plainDigest] + ext[:min(len(ext), plainExt)]
	}
	name = strings.ToUpper(name)
	if !strings.Contains(name, ".") {
		name += "."
	}
	return name + ";1"
}

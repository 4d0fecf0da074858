package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// longestName is the most, in bytes, that an escaped name may have, so that it
// fits a file name of 255 bytes together with its ending.
const longestName = 200

// escape makes a file name of any text: a path, a unit, an image. Different texts
// give different names. Long texts are cut and end with a part of their SHA-256.
func escape(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		if plainInName(c) && (c != '.' || i > 0) {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	if b.Len() <= longestName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(text))
	return b.String()[:longestName-33] + "%-" + hex.EncodeToString(sum[:])[:31]
}

func plainInName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.@+:", c) >= 0
}

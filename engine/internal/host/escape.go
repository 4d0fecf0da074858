package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// The most, in bytes, that an escaped name may have, so that it fits a file name of
// 255 bytes together with its ending, and on Windows a path of 260 characters.
const (
	longestName        = 200
	longestWindowsName = 110
)

// escape makes a file name of any text: a path, a unit, an image. Different texts
// give different names. Long texts are cut and end with a part of their SHA-256.
func escape(text string) string {
	return shorten(text, escaped(text, func(i int, c byte) bool { return c != '.' || i > 0 }), longestName)
}

// escapeWindows is escape for Windows, which allows fewer names: none with a colon, none
// that ends with a dot, and none of a device, such as CON.
func escapeWindows(text string) string {
	device := isDevice(text)
	return shorten(text, escaped(text, func(i int, c byte) bool {
		return c != ':' && (c != '.' || i > 0 && i < len(text)-1) && (i > 0 || !device)
	}), longestWindowsName)
}

func escaped(text string, allowed func(i int, c byte) bool) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		if plainInName(c) && allowed(i, c) {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func shorten(text, name string, longest int) string {
	if len(name) <= longest {
		return name
	}
	sum := sha256.Sum256([]byte(text))
	return name[:longest-33] + "%-" + hex.EncodeToString(sum[:])[:31]
}

// isDevice tells whether Windows takes a name for that of a device, whatever is behind a
// dot.
func isDevice(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT")
}

func plainInName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.@+:", c) >= 0
}

package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// The maximum length in bytes of an escaped name, so that with its ending it fits a file
// name of 255 bytes, and on Windows a path of 260 characters.
const (
	longestName        = 200
	longestWindowsName = 110
)

// escape makes a file name of any text: a path, a unit, an image. Different texts give
// different names. Long texts are cut and end with part of their SHA-256.
func escape(text string) string {
	return shorten(text, escaped(text, func(i int, c byte) bool { return c != '.' || i > 0 }), longestName)
}

// escapeWindows is escape for Windows, which does not allow names with a colon, names that
// end with a dot, and names of devices such as CON.
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

// isDevice reports whether Windows treats a name as a device, whatever follows a dot.
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

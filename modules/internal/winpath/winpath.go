// Package winpath checks and converts paths of Windows hosts, which kinit writes with
// slashes.
package winpath

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// longest is MAX_PATH of the Windows API without the closing zero: programs that do not
// enable longer paths support no more.
const longest = 259

// device matches the names that Windows treats as devices in every folder, with any
// extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// drive matches how an absolute path begins.
var drive = regexp.MustCompile(`^[A-Za-z]:/`)

// Check returns the mistake in a path argument: it must begin with a drive, have
// slashes, be clean, and be a valid name for NTFS and Windows.
func Check(argument, value string) error {
	switch {
	case value == "":
		return fmt.Errorf("%s is empty, want a path such as \"C:/kinit/file\"", argument)
	case strings.Contains(value, `\`):
		return fmt.Errorf("%s is %q, want slashes: %q", argument, value, strings.ReplaceAll(value, `\`, "/"))
	case !drive.MatchString(value):
		return fmt.Errorf("%s is %q, want a path with its drive, such as \"C:/kinit/file\"", argument, value)
	case len(value) == 3:
		return fmt.Errorf("%s is the root of a drive, want a path below it", argument)
	case path.Clean(value) != value:
		return fmt.Errorf("%s is %q, want it without empty, \".\" or \"..\" parts: %q", argument, value, path.Clean(value))
	case len(value) > longest:
		return fmt.Errorf("%s has %d characters, want at most %d", argument, len(value), longest)
	}
	for part := range strings.SplitSeq(value[3:], "/") {
		if why := unfit(part); why != "" {
			return fmt.Errorf("%s is %q, and Windows cannot have %q: %s", argument, value, part, why)
		}
	}
	return nil
}

// CheckGiven is Check for an argument that may be empty.
func CheckGiven(argument, value string) error {
	if value == "" {
		return nil
	}
	return Check(argument, value)
}

// unfit returns why Windows cannot have a file or folder with the name.
func unfit(part string) string {
	switch {
	case strings.ContainsAny(part, `<>:"|?*`):
		return `it has one of <>:"|?* in it`
	case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' }):
		return "it has a control character in it"
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "it ends with a dot or a space"
	case device.MatchString(part):
		return "it is the name of a device"
	}
	return ""
}

// Temporary is the name of a file beside another one, for its new content. It is not longer than the longest path, whose
// folder may have 247 characters, and the same each time, so that what a killed run left is replaced.
func Temporary(value string) string {
	return fmt.Sprintf("%s/~k%.4x", path.Dir(value), sha256.Sum256([]byte(strings.ToLower(path.Base(value)))))
}

// CheckRoom returns an error for a path that leaves no room for a suffix.
func CheckRoom(argument, value, suffix string) error {
	if len(value)+len(suffix) <= longest {
		return nil
	}
	return fmt.Errorf("%s has %d characters, want at most %d: the file %s is made beside it", argument, len(value), longest-len(suffix), "<name>"+suffix)
}

// Native is the path as Windows writes it.
func Native(value string) string { return strings.ReplaceAll(value, "/", `\`) }

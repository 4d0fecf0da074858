package shell

import (
	"path/filepath"
	"strings"
)

// ExpandHome replaces ~ or ~/ at the beginning of a path of this machine by a home folder.
func ExpandHome(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

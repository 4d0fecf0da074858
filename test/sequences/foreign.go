package sequences

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// shared are files in which foreign lines and those of clusters are together.
var shared = []string{"/etc/hosts", "/etc/shared.conf", "/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow"}

// foreign looks for objects that the host had before the sequence and that are not the same now.
func foreign(h *Host, now map[string]entry) *Violation {
	for _, e := range h.first {
		after, there := now[e.path]
		text := ""
		switch {
		case !there:
			text = "it has disappeared"
		case slices.Contains(shared, e.path):
			text = e.lines(after)
		case e.kind() == unix.S_IFDIR:
			e.stat.Nlink, e.stat.Mtim = after.stat.Nlink, after.stat.Mtim // others may have objects in it
			text = e.differs(after)
		default:
			text = e.differs(after)
		}
		if text != "" {
			return &Violation{Rule: "foreign", Text: fmt.Sprintf("the foreign %s on %s has changed: %s", e.path, h.Name, text)}
		}
	}
	return nil
}

// lines says what has happened to the lines of a file that others edit too, and to its attributes, or "".
func (e entry) lines(now entry) string {
	rest := strings.SplitAfter(now.content, "\n")
	for line := range strings.Lines(e.content) {
		at := slices.Index(rest, line)
		if at < 0 {
			return fmt.Sprintf("the line %q is not there, or not in its place", line)
		}
		rest = rest[at+1:]
	}
	e.content, e.stat.Ino, e.stat.Mtim, e.stat.Nlink = now.content, now.stat.Ino, now.stat.Mtim, now.stat.Nlink
	return e.differs(now)
}

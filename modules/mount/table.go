package mount

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// point is a mounted file system.
type point struct {
	fstype, source string
	flags          []string // of the mount point, not of the file system
}

// mounted reads the file system at a path, the uppermost if there are several.
// The kernel's list depends on the reading process, so a command reads it.
func mounted(ctx context.Context, h module.Host, path string) (point, bool, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"cat", "/proc/self/mountinfo"}})
	if err != nil {
		return point{}, false, fmt.Errorf("read what is mounted: %w", err)
	}
	if found, there := parseTable(out.Stdout, path); there {
		return found, true, nil
	}
	at, err := resolve(ctx, h, path)
	if err != nil {
		return point{}, false, err
	}
	found, there := parseTable(out.Stdout, at)
	return found, there, nil
}

// resolve returns a path without links, as the kernel lists what is mounted there. It asks only about paths
// that the list lacks: what is mounted at a listed one may be a server that does not answer.
func resolve(ctx context.Context, h module.Host, path string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"readlink", "-f", "--", path}})
	switch {
	case module.Exited(err, 1): // a folder above it is missing
		return path, nil
	case err != nil:
		return "", fmt.Errorf("resolve the links of %s: %w", path, err)
	}
	return strings.TrimSuffix(out.Stdout, "\n"), nil
}

// parseTable reads /proc/PID/mountinfo; man 5 proc.
func parseTable(text, path string) (point, bool) {
	var found point
	there := false
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(left), strings.Fields(right)
		if !ok || len(f) < 6 || len(g) < 2 || unescape(f[4]) != path {
			continue
		}
		found, there = point{fstype: g[0], source: unescape(g[1]), flags: strings.Split(f[5], ",")}, true
	}
	return found, there
}

// escape writes a field of fstab; man 5 fstab.
var escape = strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "#", `\043`).Replace

// unescape reads a field of fstab or mountinfo: a backslash and three octal digits
// are a byte.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// differs describes how the flags of a mount point differ from the options, such as
// "ro to rw". It compares only flags that every file system has.
func differs(flags, options []string) []string {
	var texts []string
	for _, pair := range [][2]string{
		{"ro", "rw"}, {"nosuid", "suid"}, {"nodev", "dev"}, {"noexec", "exec"}, {"noatime", "atime"}, {"nodiratime", "diratime"},
	} {
		has, want := pair[1], ""
		if slices.Contains(flags, pair[0]) {
			has = pair[0]
		}
		for _, option := range options {
			if slices.Contains(pair[:], option) {
				want = option // the last one wins
			}
		}
		if want != "" && want != has {
			texts = append(texts, has+" to "+want)
		}
	}
	return texts
}

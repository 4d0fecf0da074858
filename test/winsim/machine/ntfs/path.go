package ntfs

import (
	"slices"
	"strings"

	"kinit/test/winsim/machine/winerr"
)

// maxPath is the length from which Win32 refuses a path that is not in the form
// \\?\C:\…, its ending zero included (MAX_PATH).
const maxPath = 260

// path is a drive and the names below its root.
type path struct {
	drive byte // upper case
	names []string
}

// String is the path as Windows shows it.
func (p path) String() string {
	return string(p.drive) + `:\` + strings.Join(p.names, `\`)
}

// key is what two paths to the same file have in common.
func (p path) key() string { return strings.ToLower(p.String()) }

// below returns the path of a name in the folder.
func (p path) below(name string) path {
	return path{drive: p.drive, names: append(slices.Clip(p.names), name)}
}

func (p path) parent() path {
	return path{drive: p.drive, names: p.names[:max(0, len(p.names)-1)]}
}

// Join makes a path absolute, as a process with that working directory does.
func Join(dir, name string) string {
	name = strings.ReplaceAll(name, "/", `\`)
	switch {
	case name == "":
		return dir
	case len(name) >= 2 && name[1] == ':', strings.HasPrefix(name, `\\`):
		return name
	case name[0] == '\\':
		return dir[:min(2, len(dir))] + name
	default:
		return strings.TrimRight(dir, `\`) + `\` + name
	}
}

// Clean returns an absolute path in its canonical form, but for the case of its names.
func Clean(name string) (string, error) {
	p, err := parse(name)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

// parse reads an absolute path by the rules of Win32: both slashes, "." and "..",
// names without the dots and spaces at their end.
func parse(name string) (path, error) {
	text := strings.ReplaceAll(name, "/", `\`)
	rest, verbatim := strings.CutPrefix(text, `\\?\`)
	if len(rest) < 2 || rest[1] != ':' || !isLetter(rest[0]) {
		return path{}, winerr.Of(winerr.InvalidName, "open", name)
	}
	p := path{drive: rest[0] &^ 0x20}
	for part := range strings.SplitSeq(rest[2:], `\`) {
		switch {
		case part == "" || part == ".":
		case part == "..":
			p = p.parent()
		default:
			if !verbatim {
				part = strings.TrimRight(part, ". ")
			}
			if code := checkName(part); code != 0 {
				return path{}, winerr.Of(code, "open", name)
			}
			p = p.below(part)
		}
	}
	if !verbatim && len(p.String()) >= maxPath {
		return path{}, winerr.Of(winerr.FilenameTooLong, "open", name)
	}
	return p, nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// checkName refuses what no file can be called ("Naming Files, Paths, and
// Namespaces" in Microsoft's documentation).
func checkName(name string) winerr.Code {
	if name == "" || strings.ContainsAny(name, `<>:"|?*`) || strings.ContainsFunc(name, func(r rune) bool { return r < 32 }) {
		return winerr.InvalidName
	}
	if len(name) > 255 {
		return winerr.FilenameTooLong
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	if isDevice(strings.TrimRight(base, " ")) {
		return winerr.DirectoryInvalid
	}
	return 0
}

// isDevice reports whether a name is a device's in every folder.
func isDevice(base string) bool {
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, base) {
		return true
	}
	return len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && base[3] >= '1' && base[3] <= '9'
}

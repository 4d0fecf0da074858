package windows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"kinit/engine/module"
)

// Clean returns a path in its shortest form, or says what is wrong with it. It must
// begin with a drive, as C:/folder.
func Clean(op, name string) (string, error) {
	refuse := func(format string, args ...any) (string, error) {
		return "", &fs.PathError{Op: op, Path: name, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case strings.Contains(name, `\`):
		return refuse("write the path with / instead of \\")
	case len(name) < 3 || !isDrive(name[0]) || name[1] != ':' || name[2] != '/':
		return refuse("the path must be absolute, such as C:/folder/file")
	case !utf8.ValidString(name):
		return refuse("the path is not valid UTF-8")
	}
	cleaned := name[:2] + path.Clean(name[2:])
	for part := range strings.SplitSeq(cleaned[2:], "/") {
		if err := checkName(part); err != nil {
			return refuse("%w", err)
		}
	}
	return cleaned, nil
}

func isDrive(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// CleanRemovable is Clean for what is to be removed, which no drive is.
func CleanRemovable(name string) (string, error) {
	name, err := Clean("remove", name)
	if err == nil && len(name) == len("C:/") {
		return "", &fs.PathError{Op: "remove", Path: name, Err: errors.New("the root folder of a drive stays")}
	}
	return name, err
}

// checkName says why Windows cannot have a file of a name ("Naming Files, Paths, and
// Namespaces" in Microsoft's documentation).
func checkName(name string) error {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*`, r) }); i >= 0 {
		return fmt.Errorf("a file on Windows cannot have %q in its name", name[i:i+1])
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return fmt.Errorf("the name of a file on Windows cannot end with a dot or a blank: %q", name)
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	if isDevice(strings.TrimRight(base, " ")) {
		return fmt.Errorf("%q is the name of a device on Windows", name)
	}
	if len(name) > 255 {
		return errors.New("the name of a file on Windows has at most 255 characters")
	}
	return nil
}

func isDevice(name string) bool {
	switch name {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(name) == 4 && (name[:3] == "COM" || name[:3] == "LPT") && name[3] >= '1' && name[3] <= '9'
}

// Folder is the folder of a path. Who else can change it is the business of Windows'
// access lists.
func Folder(ctx context.Context, name string) (module.Folder, error) {
	if err := ctx.Err(); err != nil {
		return module.Folder{}, err
	}
	name, err := Clean("stat", name)
	return module.Folder{Path: path.Dir(name), Closed: true}, err
}

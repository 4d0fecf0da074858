// Package fileattr reads and compares the mode, owner and group that a task
// asks for.
package fileattr

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// Want is what a task asks a path to be, as its arguments have it. Empty fields
// are left as they are.
type Want struct {
	Mode  string // octal permission bits, such as "0644"
	Owner string // user name or number
	Group string // group name or number
}

// Validate returns the mistake in the mode, if there is one.
func (w Want) Validate() error {
	_, err := ParseMode(w.Mode)
	return err
}

// Attr is the wish in the host's terms; the mode must be valid.
func (w Want) Attr() (module.Attr, error) {
	mode, err := ParseMode(w.Mode)
	return module.Attr{Mode: mode, Owner: w.Owner, Group: w.Group}, err
}

// Diff says in words how the path differs from the wish, such as
// "mode 0600 to 0644". Nothing means it does not.
func (w Want) Diff(info module.FileInfo) []string {
	var out []string
	mode, err := ParseMode(w.Mode)
	if err == nil && mode != 0 && mode != info.Mode.Perm() {
		out = append(out, fmt.Sprintf("mode %04o to %04o", info.Mode.Perm(), mode))
	}
	if w.Owner != "" && !is(w.Owner, info.Owner, info.UID) {
		out = append(out, fmt.Sprintf("owner %s to %s", info.Owner, w.Owner))
	}
	if w.Group != "" && !is(w.Group, info.Group, info.GID) {
		out = append(out, fmt.Sprintf("group %s to %s", info.Group, w.Group))
	}
	return out
}

// Or fills what is not asked for with what a regular file has now.
func (w Want) Or(info module.FileInfo) Want {
	if info.Name == "" || !info.Mode.IsRegular() {
		return w
	}
	if perm := info.Mode.Perm(); w.Mode == "" && perm != 0 {
		w.Mode = fmt.Sprintf("%04o", perm)
	}
	w.Owner, w.Group = cmp.Or(w.Owner, info.Owner), cmp.Or(w.Group, info.Group)
	return w
}

// is compares a name or number with what a path has.
func is(want, name string, id uint32) bool {
	return want == name || want == strconv.FormatUint(uint64(id), 10)
}

// Words lists the wish for a path that is not there yet, such as
// ", mode 0644, owner root". Nothing asked for gives nothing.
func (w Want) Words() string {
	out := ""
	for _, part := range []struct{ name, value string }{
		{"mode", w.Mode}, {"owner", w.Owner}, {"group", w.Group},
	} {
		if part.value != "" {
			out += ", " + part.name + " " + part.value
		}
	}
	return out
}

// ParseMode reads octal permission bits such as "0644". Empty text gives 0, which
// leaves a mode as it is; for that reason "0000" is no mode.
func ParseMode(text string) (fs.FileMode, error) {
	if text == "" {
		return 0, nil
	}
	bits, err := strconv.ParseUint(text, 8, 16)
	if err != nil || bits == 0 || bits > 0o777 {
		return 0, fmt.Errorf("mode is %q, want octal permission bits from \"0001\" to \"0777\", such as \"0644\"", text)
	}
	return fs.FileMode(bits), nil
}

// CheckPath returns the mistake in a path argument: it must be absolute and
// clean, and no root folder.
func CheckPath(argument, value string) error {
	switch {
	case value == "":
		return fmt.Errorf("%s is empty, want an absolute path", argument)
	case !strings.HasPrefix(value, "/"):
		return fmt.Errorf("%s is %q, want an absolute path", argument, value)
	case value == "/":
		return fmt.Errorf("%s is the root folder, want a path below it", argument)
	case path.Clean(value) != value:
		return fmt.Errorf("%s is %q, want it without empty, \".\" or \"..\" parts: %q", argument, value, path.Clean(value))
	}
	return nil
}

// CheckState returns the mistake in a state argument.
func CheckState(value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return fmt.Errorf("state is %q, want one of %s", value, strings.Join(allowed, ", "))
}

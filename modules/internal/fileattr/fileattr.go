// Package fileattr reads and compares the mode, owner and group that a task requests.
package fileattr

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// Want is the requested attributes of a path. Tasks embed it for their arguments. Empty
// fields do not change.
type Want struct {
	// Mode is the permission bits, such as "0644". Default: unchanged, "0644" for a new
	// file, "0600" for one whose content is secret.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: unchanged.
	Group string `hcl:"group,optional"`
}

// Validate returns the mistake in the mode, if any.
func (w Want) Validate() error {
	_, err := ParseMode(w.Mode)
	return err
}

// Attr converts the request to the host's form; the mode must be valid.
func (w Want) Attr() (module.Attr, error) {
	mode, err := ParseMode(w.Mode)
	return module.Attr{Mode: mode, Owner: w.Owner, Group: w.Group}, err
}

// Set gives a path the requested attributes.
func (w Want) Set(ctx context.Context, h module.Host, path string) error {
	attr, err := w.Attr()
	if err != nil {
		return err
	}
	return h.Files().SetAttr(ctx, path, attr)
}

// Plan returns the step that gives a path the requested attributes, if they differ.
func (w Want) Plan(path string, info module.FileInfo) []module.Step {
	changes := w.Diff(info)
	if len(changes) == 0 {
		return nil
	}
	return module.OneStep("set "+path+": "+strings.Join(changes, ", "), func(ctx context.Context, h module.Host) error {
		return w.Set(ctx, h, path)
	})
}

// Diff describes how the path differs from the request, such as
// "mode 0600 to 0644"; "" if it does not.
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

// Or fills empty fields with the current attributes of a regular file.
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

// is compares a name or number with a path's attribute.
func is(want, name string, id uint32) bool {
	return want == name || want == strconv.FormatUint(uint64(id), 10)
}

// Words describes the request for a path that does not exist yet, such as
// ", mode 0644, owner root"; "" for an empty request.
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

// ParseMode parses octal permission bits such as "0644". Empty text gives 0, which
// leaves a mode unchanged; "0000" is therefore invalid.
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

package authorizedkey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/lines"
)

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	keys, err := parseKeys(t.Key)
	if err != nil {
		return nil, err
	}
	user, file, err := t.home(ctx, h)
	switch {
	case err != nil:
		return nil, err
	case user.Name == "" && t.Absent():
		return nil, nil
	case user.Name == "":
		return module.OneStep(t.title(keys), t.do), nil
	}
	if err := checkFolder(ctx, h, path.Dir(file)); err != nil {
		return nil, err
	}
	edited, err := t.edit(ctx, h, user, file, keys)
	if err != nil || len(edited) == 0 {
		return nil, err
	}
	return module.OneStep(edited[0].String(), t.do), nil
}

func (t *Task) edit(ctx context.Context, h module.Host, user account.User, file string, keys []key) ([]module.Step, error) {
	f := lines.File{Path: file, Attr: attr(user, 0o600)}
	if t.Absent() {
		return f.PlanAbsent(ctx, h, t.title(keys), func(have []string) []string { return drop(have, keys) })
	}
	return f.Plan(ctx, h, t.title(keys), func(have []string) []string { return t.want(have, keys) })
}

// title names the keys by their fingerprints.
func (t *Task) title(keys []key) string {
	names := strings.Join(lists.Map(keys, func(k key) string { return k.id }), ", ")
	switch {
	case t.Absent():
		return fmt.Sprintf("remove %s from the keys of %s", names, t.User)
	case t.Exclusive:
		return fmt.Sprintf("authorize %s and no other key for %s", names, t.User)
	}
	return fmt.Sprintf("authorize %s for %s", names, t.User)
}

// want returns the lines of the file with the keys: existing ones at their place, new ones
// at the end.
func (t *Task) want(have []string, keys []key) []string {
	wanted := map[string]string{}
	for _, k := range keys {
		wanted[k.id] = t.line(k)
	}
	var out []string
	for _, line := range have {
		k, is := parseLine(line)
		text, ours := wanted[k.id]
		switch {
		case !is:
			out = append(out, line)
		case has(keys, k) && ours:
			out = append(out, text)
			delete(wanted, k.id)
		case !t.Exclusive && !has(keys, k):
			out = append(out, line)
		}
	}
	for _, k := range keys {
		if text, missing := wanted[k.id]; missing {
			out = append(out, text)
			delete(wanted, k.id)
		}
	}
	return out
}

// drop returns the lines without the keys.
func drop(have []string, keys []key) []string {
	return slices.DeleteFunc(slices.Clone(have), func(line string) bool {
		k, is := parseLine(line)
		return is && has(keys, k)
	})
}

// do makes the folder and edits the file in their state at this time.
func (t *Task) do(ctx context.Context, h module.Host) error {
	keys, err := parseKeys(t.Key)
	if err != nil {
		return err
	}
	user, file, err := t.home(ctx, h)
	if err != nil {
		return err
	}
	if user.Name == "" {
		return fmt.Errorf("there is no user %s: make it with a user task before", t.User)
	}
	if !t.Absent() {
		if err := makeFolder(ctx, h, path.Dir(file), user); err != nil {
			return err
		}
	}
	steps, err := t.edit(ctx, h, user, file, keys)
	if err != nil {
		return err
	}
	if err := module.DoAll(ctx, h, steps); err != nil || !t.Absent() {
		return err
	}
	return hostfile.Prune(ctx, h, path.Dir(file))
}

func attr(user account.User, mode fs.FileMode) module.Attr {
	return module.Attr{Mode: mode, Owner: fmt.Sprint(user.UID), Group: fmt.Sprint(user.GID)}
}

// checkFolder refuses a folder that is a link: its owner could redirect root to
// another user's files.
func checkFolder(ctx context.Context, h module.Host, dir string) error {
	info, err := h.Files().Stat(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("stat %s: %w", dir, err)
	case !info.Mode.IsDir():
		return fmt.Errorf("%s is no folder but %s, want a folder or nothing there", dir, info.Mode)
	}
	return nil
}

// makeFolder makes .ssh and what is missing above it, and marks each. The user owns the folder, and a home
// that is made.
func makeFolder(ctx context.Context, h module.Host, dir string, user account.User) error {
	missing, err := hostfile.MissingFolders(ctx, h, dir)
	if err != nil || len(missing) == 0 {
		return errors.Join(err, checkFolder(ctx, h, dir))
	}
	for _, one := range missing {
		has := module.Attr{Mode: 0o755}
		if one == dir || strings.HasPrefix(one+"/", path.Clean(user.Home)+"/") {
			has = attr(user, 0o700)
		}
		if err := h.Own(ctx, module.Mark{Kind: hostfile.DirectoryKind, ID: one}); err != nil {
			return err
		}
		if err := h.Files().Mkdir(ctx, one, has); err != nil {
			return fmt.Errorf("make folder %s: %w", one, err)
		}
	}
	return nil
}

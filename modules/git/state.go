package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// deployed is the ref of kinit's last checkout; it distinguishes commits that people made
// on top of it.
const deployed = "refs/kinit/deployed"

// marks are the refs of kinit, as a pattern.
const marks = "refs/kinit/*"

// state is the checkout's current state and its target.
type state struct {
	want     target
	exists   bool   // the folder
	ours     bool   // there is a mark, or nothing on the host has an owner
	uid      uint32 // its owner
	empty    bool   // nothing is in it
	checkout bool   // it is a checkout
	origin   string
	commit   string // "" after an interrupted clone
	branch   string // "" when no branch is checked out
	changed  []string
	commits  int  // commits that only the checkout has
	stale    bool // submodules are not at their commits
}

func (t *Task) read(ctx context.Context, h module.Host) (s state, err error) {
	if err := t.readFolder(ctx, h, &s); err != nil {
		return s, err
	}
	if err := t.become(ctx, h, s); err != nil {
		return s, err
	}
	if !t.Absent() {
		if s.want, err = t.resolve(ctx, h); err != nil {
			return s, err
		}
	}
	if !s.checkout {
		return s, ctx.Err()
	}
	return s, t.readCheckout(ctx, h, &s)
}

func (t *Task) readFolder(ctx context.Context, h module.Host, s *state) error {
	info, err := h.Files().Stat(ctx, t.Dest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode.IsDir():
		return fmt.Errorf("%s is no folder, want a checkout or nothing there", t.Dest)
	}
	s.exists, s.ours, s.uid = true, h.Owner() == "", info.UID
	if !s.ours {
		if _, s.ours, err = ownership.Of(ctx, h, t.Dest); err != nil {
			return err
		}
	}
	if s.checkout, err = hostfile.Exists(ctx, h, path.Join(t.Dest, ".git")); err != nil || s.checkout {
		return err
	}
	infos, err := h.Files().List(ctx, t.Dest)
	s.empty = len(infos) == 0
	return err
}

func (t *Task) readCheckout(ctx context.Context, h module.Host, s *state) error {
	for _, ask := range []struct {
		into *string
		args []string
	}{
		{&s.origin, []string{"config", "--default", "", "--get", "remote.origin.url"}},
		{&s.commit, []string{"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}},
		{&s.branch, []string{"symbolic-ref", "--quiet", "--short", "HEAD"}},
	} {
		out, err := t.run(ctx, h, ask.args...)
		if err != nil && !module.Exited(err, 1) {
			return err // 1 means that it does not exist
		}
		*ask.into = out
	}
	if s.commit == "" {
		return nil
	}
	if err := t.readChanges(ctx, h, s); err != nil || !t.Submodules {
		return err
	}
	list, err := t.run(ctx, h, "submodule", "status", "--recursive")
	for line := range strings.Lines(list) {
		s.stale = s.stale || !strings.HasPrefix(line, " ") // - means missing, + another commit, U a conflict
	}
	return err
}

// readChanges looks for changes that an update would lose. Untracked files do
// not count: git itself refuses to overwrite them.
func (t *Task) readChanges(ctx context.Context, h module.Host, s *state) error {
	list, err := t.run(ctx, h, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		s.changed = append(s.changed, strings.TrimSpace(line))
	}
	args := []string{"rev-list", "--ignore-missing", "HEAD"}
	if t.Absent() {
		args = append(args, "--branches")
	} else if s.want.branch != "" {
		args = append(args, "refs/heads/"+s.want.branch)
	}
	only, err := t.run(ctx, h, append(args, "--not", "--remotes", "--tags", "--glob="+marks)...)
	s.commits = len(strings.Fields(only))
	return err
}

package unarchive

import (
	"context"
	"path"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/runas"
)

// work are the commands of git that print something if a checkout has what its repository does not: changed, new and
// ignored files, and commits.
var work = [][]string{
	{"status", "--porcelain", "--ignored", "--untracked-files=normal"},
	{"rev-list", "--max-count=1", "--all", "--not", "--remotes", "--tags", "--glob=refs/kinit/*"},
	{"rev-list", "--max-count=1", "--ignore-missing", "HEAD", "--not", "--remotes", "--tags", "--glob=refs/kinit/*"},
}

// holdsWork reports whether a tree is a checkout with people's work in it. A checkout that git cannot judge counts as one. Of an
// archive only what was unpacked is removed.
func holdsWork(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	checkout, err := hostfile.Exists(ctx, h, path.Join(mark.ID, ".git"))
	if err != nil || !checkout {
		return false, err
	}
	user, err := runas.Of(ctx, h, mark.ID)
	if err != nil {
		return true, ctx.Err()
	}
	if !user.Other {
		closed, err := runas.Closed(ctx, h, path.Join(mark.ID, ".git", "config"))
		if err != nil || !closed {
			return true, err
		}
	}
	for _, args := range work {
		out, err := h.Run(ctx, module.Command{Argv: user.Git(append([]string{"-C", mark.ID}, args...)...)})
		switch {
		case module.Exited(err):
			return true, nil
		case err != nil || out.Stdout != "":
			return true, err
		}
	}
	return false, nil
}

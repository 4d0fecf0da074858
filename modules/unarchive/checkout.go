package unarchive

import (
	"context"
	"path"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/runas"
	"kinit/modules/internal/tree"
)

// work are the commands of git that print something if a checkout has what its repository does not: changed, new and
// ignored files, and commits.
var work = [][]string{
	{"status", "--porcelain", "--ignored", "--untracked-files=normal"},
	{"rev-list", "--max-count=1", "--all", "--not", "--remotes", "--tags", "--glob=refs/kinit/*"},
	{"rev-list", "--max-count=1", "--ignore-missing", "HEAD", "--not", "--remotes", "--tags", "--glob=refs/kinit/*"},
}

// holdsWork reports whether a tree has people's work in it that goes with it: a checkout with more than its repository
// has, or that git cannot judge, or changed files of an archive.
func holdsWork(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	checkout, err := isCheckout(ctx, h, mark.ID)
	if err != nil {
		return false, err
	}
	if !checkout {
		return edited(ctx, h, mark.ID)
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

// isCheckout reports whether a tree is a checkout. An archive may have a repository in it, or people may make one there: of
// an archive, only what was unpacked is removed.
func isCheckout(ctx context.Context, h module.Host, folder string) (bool, error) {
	there, err := hostfile.Exists(ctx, h, path.Join(folder, ".git"))
	if err != nil || !there {
		return false, err
	}
	archives, err := manifests(ctx, h, folder)
	return len(archives) == 0, err
}

// edited reports whether an unpacked file has changed since.
func edited(ctx context.Context, h module.Host, folder string) (bool, error) {
	_, there, err := hostfile.Look(ctx, h, folder)
	if err != nil || !there {
		return false, err
	}
	archives, err := manifests(ctx, h, folder)
	if err != nil || len(archives) == 0 {
		return false, err
	}
	all, err := tree.List(ctx, h, folder, hiddenName+"*")
	if err != nil {
		return false, err
	}
	here, left := byPath(all), shared(archives)
	for name, entries := range left {
		now, there := here[name]
		if there && !slices.ContainsFunc(entries, func(e tree.Entry) bool { return e.Type != now.Type || sameContent(e, now) }) {
			return true, nil
		}
	}
	return false, nil
}

// sameContent reports whether an entry has the content that it was unpacked with.
func sameContent(was, now tree.Entry) bool {
	return was.Type == "d" || was.Size == now.Size && was.MTime == now.MTime && was.Target == now.Target
}

package git

import (
	"context"
	"slices"
	"strconv"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// checkout makes or updates the checkout. It reads the state again first: an
// earlier try may have ended half way, and people continue to work.
func (t *Task) checkout(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	steps, err := t.decide(h, s)
	if err != nil || len(steps) == 0 {
		return err
	}
	for _, do := range []func(context.Context, module.Host, state) error{t.prepare, t.fetch, t.move, t.submodules} {
		if err := do(ctx, h, s); err != nil {
			return err
		}
	}
	t.commit = s.want.commit
	return nil
}

// prepare makes an empty repository, marked as the cluster's with all its content, and
// sets its remote.
func (t *Task) prepare(ctx context.Context, h module.Host, s state) error {
	if !s.checkout {
		if err := hostfile.Parents(ctx, h, t.Dest); err != nil {
			return err
		}
		if err := h.Own(ctx, module.Mark{Kind: "tree", ID: t.Dest}); err != nil {
			return err
		}
		if err := h.Files().Mkdir(ctx, t.Dest, t.user.Attr(0)); err != nil {
			return err
		}
		if err := t.become(ctx, h, s); err != nil { // a folder of ours may be closed where the one above is not
			return err
		}
		if _, err := t.git(ctx, h, "init", "--quiet", "--", t.Dest); err != nil {
			return err
		}
	}
	if err := t.checkTree(ctx, h, s); err != nil {
		return err
	}
	if s.origin == t.Repository {
		return nil
	}
	return t.configure(ctx, h,
		"remote.origin.url", t.Repository,
		"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
}

// configure gives settings, each a name and a value, to the checkout.
func (t *Task) configure(ctx context.Context, h module.Host, settings ...string) error {
	for setting := range slices.Chunk(settings, 2) {
		if _, err := t.run(ctx, h, "config", "--replace-all", setting[0], setting[1]); err != nil {
			return err
		}
	}
	return nil
}

// fetch fetches the commit: with a depth only that, else all branches and tags. A
// commit that is on none of them is requested separately.
func (t *Task) fetch(ctx context.Context, h module.Host, s state) error {
	h.Report(event.Progress{Text: "fetch " + h.Redact(t.Repository)})
	if t.Depth > 0 {
		what := s.want.commit
		if s.want.branch != "" {
			what = "+refs/heads/" + s.want.branch + ":refs/remotes/origin/" + s.want.branch
		}
		return t.fetchFrom(ctx, h, "--no-tags", "--depth="+strconv.Itoa(t.Depth), "origin", what)
	}
	if err := t.fetchFrom(ctx, h, "--force", "--tags", "--prune", "origin"); err != nil {
		return err
	}
	_, err := t.run(ctx, h, "cat-file", "-e", s.want.commit+"^{commit}")
	if !module.Exited(err) {
		return err
	}
	return t.fetchFrom(ctx, h, "origin", s.want.commit)
}

func (t *Task) fetchFrom(ctx context.Context, h module.Host, args ...string) error {
	_, err := t.run(ctx, h, append(append([]string{"fetch", "--quiet"}, t.server()...), args...)...)
	return err
}

// move checks the commit out. Without force git refuses to overwrite files, even
// new ones since the last look.
func (t *Task) move(ctx context.Context, h module.Host, s state) error {
	args := []string{"checkout", "--quiet"}
	if t.Force {
		args = append(args, "--force")
	}
	if s.want.branch != "" {
		args = append(args, "-B", s.want.branch, "--no-track", s.want.commit, "--")
	} else {
		args = append(args, "--detach", s.want.commit, "--")
	}
	if _, err := t.run(ctx, h, args...); err != nil {
		return err
	}
	if s.want.branch != "" {
		// The upstream is for "git pull" by people.
		err := t.configure(ctx, h,
			"branch."+s.want.branch+".remote", "origin",
			"branch."+s.want.branch+".merge", "refs/heads/"+s.want.branch)
		if err != nil {
			return err
		}
	}
	_, err := t.run(ctx, h, "update-ref", deployed, s.want.commit)
	return err
}

func (t *Task) submodules(ctx context.Context, h module.Host, _ state) error {
	if !t.Submodules {
		return nil
	}
	if _, err := t.run(ctx, h, "submodule", "--quiet", "sync", "--recursive"); err != nil {
		return err
	}
	args := []string{"submodule", "--quiet", "update", "--init", "--recursive"}
	if t.Force {
		args = append(args, "--force")
	}
	if t.Depth > 0 {
		args = append(args, "--depth="+strconv.Itoa(t.Depth))
	}
	_, err := t.run(ctx, h, args...)
	return err
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if _, err := t.decideAbsent(h, s); err != nil {
		return err
	}
	if err := h.Files().Remove(ctx, t.Dest); err != nil {
		return err
	}
	return ownership.Release(ctx, h, t.Dest)
}

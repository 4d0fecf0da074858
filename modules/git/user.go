package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/runas"
)

// become chooses the user that runs git: the one who can change git's configuration.
func (t *Task) become(ctx context.Context, h module.Host, s state) error {
	var err error
	if t.user, err = runas.Of(ctx, h, t.Dest); err != nil {
		return fmt.Errorf("run git for %s: %w", t.Dest, err)
	}
	switch {
	case !t.user.Other:
	case t.Password == "" && t.IdentityFile == "":
		return nil
	default: // the checkout's owner must not see private data
		return fmt.Errorf("%s belongs to %s, as whom git runs, and who could read the password or the key of the task: "+
			"become %[2]s for the task, or give the checkout a folder that only root can change", t.Dest, t.user.Name)
	}
	if s.checkout {
		if err := t.checkOwn(ctx, h); err != nil {
			return err
		}
	}
	return t.checkSource(ctx, h)
}

// checkOwn refuses a checkout of our own in which others can change the configuration.
func (t *Task) checkOwn(ctx context.Context, h module.Host) error {
	file := path.Join(t.Dest, ".git", "config")
	closed, err := runas.Closed(ctx, h, file)
	if err != nil || closed {
		return err
	}
	return fmt.Errorf("another user can change %s, which names programs that git runs: give the whole checkout %s to one user "+
		"(chown -R) and take away what others may write (chmod -R go-w)", file, t.Dest)
}

// checkSource refuses a repository on the host that others can change: git runs a program
// in it with kinit's rights.
func (t *Task) checkSource(ctx context.Context, h module.Host) error {
	source := t.localSource()
	if source == "" || t.Absent() {
		return nil
	}
	inside, err := h.Files().Folder(ctx, path.Join(source, "x"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // git reports it itself
	}
	if err == nil && !inside.Closed {
		err = fmt.Errorf("another user can change the repository %s, in which git would run: have it served by ssh or http, or become its owner for the task", source)
	}
	return err
}

// server returns the option for git as another user to read a repository on the host that
// is not that user's: this is safe because nothing in it is run.
func (t *Task) server() []string {
	if !t.user.Other || t.localSource() == "" {
		return nil
	}
	return []string{"--upload-pack=git -c safe.directory=* upload-pack"}
}

// localSource returns the path of a repository on the host, or "".
func (t *Task) localSource() string {
	if strings.HasPrefix(t.Repository, "/") {
		return path.Clean(t.Repository)
	}
	u, err := url.Parse(t.Repository)
	if err != nil || u.Scheme != "file" || !path.IsAbs(u.Path) {
		return ""
	}
	return path.Clean(u.Path)
}

// checkTree refuses to write into a checkout with folders that other users can change:
// they could redirect git.
func (t *Task) checkTree(ctx context.Context, h module.Host, s state) error {
	if t.user.Other || !s.checkout {
		return nil
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"find", t.Dest, "-type", "d",
		"(", "!", "-uid", fmt.Sprint(s.uid), "-o", "-perm", "/022", ")", "-print", "-quit"}})
	if err == nil && out.Stdout != "" {
		err = fmt.Errorf("another user can change %s in the checkout, and so lead git elsewhere: give the whole checkout to one user "+
			"(chown -R) and take away what others may write (chmod -R go-w)", strings.TrimSuffix(out.Stdout, "\n"))
	}
	return err
}

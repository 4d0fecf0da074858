// Package git is the module "git": a checkout of a repository, on a host.
//
// The host's own git makes and updates it. Changes by other people are not lost unless the
// task allows it.
package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/runas"
	"kinit/modules/unarchive"
)

// Task is a checkout of a repository at a branch, tag or commit.
//
// Every run, also a dry one, looks up a branch or tag, and the checkout follows the branch
// or a moved tag. A commit needs no access to the repository once it is checked out.
// Files that git does not track remain. Hooks do not run. The checkout is marked as
// the cluster's, and cleanup removes it with all its content. If it has changed, new or ignored
// files, or commits that the repository does not have, and the playbook no longer declares it, --remove has to name it.
//
// git runs programs that the configuration of a checkout names. If another user than the
// login can change the checkout, or a folder above it, git therefore runs as the
// checkout's owner, also in a dry run.
//
// The host needs git, and ssh for such a repository; git never asks for a password.
//
// Errors:
//   - the repository cannot be read, or has no such branch or tag; the error has the nearest names
//   - dest is a folder with other content, or another cluster's
//   - an update would lose changed files or commits of the checkout, and force is not set
//   - the checkout or a local repository is another user's, and git cannot or must not run
//     as that user: the login is not root, or the task has a password or key
//   - git is not installed
type Task struct {
	// Repository is the URL of the repository in git's notation, without a password.
	// Needed unless state is "absent".
	Repository string `hcl:"repository,optional"`
	// Dest is the absolute path of the checkout. Missing parents are made.
	Dest string `hcl:"dest" path:"clean"`
	// Ref is a branch, a tag, or a commit of 40 hex digits. Default: the repository's
	// default branch.
	Ref string `hcl:"ref,optional"`
	// Depth is how many commits of the history to fetch. Default: all.
	Depth int `hcl:"depth,optional"`
	// Submodules also checks out submodules, recursively.
	Submodules bool `hcl:"submodules,optional"`
	// Force discards changed files, and commits that the repository does not have.
	Force bool `hcl:"force,optional"`
	// Username is the login for a repository by http or https.
	Username string `hcl:"username,optional"`
	// Password is the password or token for username. It is not stored on
	// the host, nor shown in its list of processes.
	Password secret.Value `hcl:"password,optional"`
	// IdentityFile is the absolute path, on the host, of the private key for a
	// repository by ssh. Default: the keys of the user.
	IdentityFile string `hcl:"identity_file,optional" path:"clean"`
	module.Presence

	commit    string     // the current or future commit
	user      runas.User // the user that runs git, found by Plan
	sensitive bool       // the repository's URL
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "git", Marks: []module.MarkKind{
		unarchive.Tree(),
	}})
}

// Hide marks the repository's URL as sensitive, which is then refused.
func (t *Task) Hide(argument string) bool {
	t.sensitive = t.sensitive || argument == "repository"
	return argument == "repository"
}

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	switch {
	case t.sensitive:
		return errors.New("repository has a sensitive value, and git shows it in the list of processes: give username and password instead")
	case t.Repository == "" || strings.HasPrefix(t.Repository, "-"):
		return fmt.Errorf("repository is %q, want a URL as git takes it", t.Repository)
	case strings.HasPrefix(t.Ref, "-") || strings.ContainsAny(t.Ref, " \t\r\n~^:?*[\\"):
		return fmt.Errorf("ref is %q, want a branch, a tag, or a commit", t.Ref)
	case t.Depth < 0:
		return fmt.Errorf("depth is %d, want 1 or more, or none for all", t.Depth)
	case t.Password != "" && t.Username == "":
		return errors.New("username is missing, want it beside password")
	}
	// A password in the URL would be in the list of processes.
	u, err := url.Parse(t.Repository)
	isURL := err == nil && u.Scheme != "" && u.Host != ""
	if isURL {
		if _, has := u.User.Password(); has {
			return errors.New("repository has a password in it: give username and password instead")
		}
	}
	if t.Username != "" && (!isURL || u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("username is for a repository by http or https only")
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.tellSecrets(h)
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.decideAbsent(h, s)
	}
	t.commit = s.want.commit
	return t.decide(h, s)
}

type Outputs struct {
	Path   string `cty:"path" arg:"dest,content"` // the folder
	Commit string `cty:"commit"`                  // the commit that is checked out, 40 hex digits; empty for an absent one
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Dest, Commit: t.commit}, nil
}

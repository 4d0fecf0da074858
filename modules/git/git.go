// Package git is the module "git": a checkout of a repository, on a host.
//
// It is made and brought up to date by the host's own git. What people have changed
// in it is not lost unless the task says so.
package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/runas"
)

// Task is a checkout of a repository at a branch, tag or commit.
//
// A branch is asked for in every run, also in a dry one, and the checkout follows
// it; so does a tag that was moved. A commit needs no look at the repository once it
// is checked out. Files that git does not track stay. Hooks do not run. Marked as
// the cluster's, the checkout goes with all in it on cleanup.
//
// git runs programs that the configuration of a checkout names. So where another user
// than the one who is logged in can change the checkout, or a folder on the way to it,
// git runs as the checkout's owner, in a dry run too.
//
// The host needs git, and ssh for such a repository; git never asks for a password.
//
// Outputs:
//   - path: the folder
//   - commit: the commit that is checked out, 40 hex digits; empty for an absent one
//
// Errors:
//   - the repository cannot be read, or has no such branch or tag; the nearest names are told
//   - dest is a folder with something else in it, or another cluster's
//   - an update would lose changed files or commits of the checkout, and force is not set
//   - the checkout or a local repository is another user's, and git cannot or must not run
//     as that user: who is logged in is not root, or the task has a password or key
//   - git is not installed
type Task struct {
	// Repository is the URL of the repository as git takes it, without a password.
	// Needed unless state is "absent".
	Repository string `hcl:"repository,optional"`
	// Dest is the absolute path of the checkout. Missing parents are made.
	Dest string `hcl:"dest"`
	// Ref is a branch, a tag, or a commit of 40 hex digits. Default: the repository's
	// own default branch.
	Ref string `hcl:"ref,optional"`
	// Depth is how many commits of the history to fetch. Default: all.
	Depth int `hcl:"depth,optional"`
	// Submodules checks out submodules too, and theirs.
	Submodules bool `hcl:"submodules,optional"`
	// Force discards changed files, and commits that the repository does not have.
	Force bool `hcl:"force,optional"`
	// Username is for a repository by http or https that asks for a login.
	Username string `hcl:"username,optional"`
	// Password is the password or token that goes with username. It is not kept on
	// the host, nor shown in its list of processes.
	Password secret.Value `hcl:"password,optional"`
	// IdentityFile is the absolute path, on the host, of the private key for a
	// repository by ssh. Default: the keys of the user.
	IdentityFile string `hcl:"identity_file,optional"`
	// State is "present" or "absent".
	State string `hcl:"state,optional"`

	commit    string     // what is checked out, or will be
	user      runas.User // who runs git, found by Plan
	sensitive bool       // the repository's URL
}

// Kind is the module "git".
func Kind() module.Kind {
	return module.Kind{Name: "git", New: func() module.Task { return &Task{State: "present"} }}
}

// Hide says that the repository's URL is sensitive, which is then refused.
func (t *Task) Hide(argument string) bool {
	t.sensitive = t.sensitive || argument == "repository"
	return argument == "repository"
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckPath("dest", t.Dest); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil || t.State == "absent" {
		return err
	}
	if t.IdentityFile != "" {
		if err := fileattr.CheckPath("identity_file", t.IdentityFile); err != nil {
			return err
		}
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
	return t.checkLogin()
}

// checkLogin checks where a password is, and where it goes.
func (t *Task) checkLogin() error {
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

// Plan compares the checkout with the repository.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	t.tellSecrets(h)
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(h, s)
	}
	t.commit = s.want.commit
	return t.decide(h, s)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "commit": cty.String}
}

// Outputs returns what Plan found.
func (t *Task) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return map[string]cty.Value{"path": cty.StringVal(t.Dest), "commit": cty.StringVal(t.commit)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
	_ module.Discreet  = (*Task)(nil)
)

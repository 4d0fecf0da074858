// Package zypperrepository is the module "zypper_repository": a repository of packages for
// zypper, with the key that signs it.
package zypperrepository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/packages"
	"kinit/modules/internal/repository"
)

// Task is a repository in /etc/zypp/repos.d/NAME.repo, for zypper. When the file or the key
// changes, rpm trusts the key and zypper reads an enabled repository; if it cannot read it, that
// is an error and the files are restored.
//
// Files that kinit makes are marked, and cleanup removes them; on a host that belongs to a
// cluster, foreign files are not replaced. rpm trusts a key until someone removes it. The tests
// know what zypper's manual says; SUSE and openSUSE themselves are not tested.
//
// Errors:
//   - zypper cannot read the enabled repository, or does not trust its key
//   - packages must be verified, and there is no key for it
//   - key is not a public key in ASCII armour
//   - a file with that name has other content and the cluster does not own it
type Task struct {
	// Name is the repository's alias and the file's name: letters, digits, "-", "_" and ".".
	Name string `hcl:"name"`
	// Description is the repository's name in zypper's output. Default: the name.
	Description string `hcl:"description,optional"`
	// URL is its address. zypper expands $releasever and $basearch.
	URL string `hcl:"url,optional" nonempty:"want the address of the repository"`
	// Enabled makes zypper use it.
	Enabled bool `hcl:"enabled,optional" default:"true"`
	// AutoRefresh makes zypper refresh its lists when they are old.
	AutoRefresh bool `hcl:"auto_refresh,optional" default:"true"`
	// Priority is a number from 1, the strongest, to 200.
	Priority int `hcl:"priority,optional" default:"99"`
	// GPGCheck verifies the package lists and, if these are not signed, the packages. It needs
	// key, unless rpm trusts the key already.
	GPGCheck bool `hcl:"gpgcheck,optional" default:"true"`
	// Key is the public key that signs it, in ASCII armour; it is stored in
	// /etc/pki/rpm-gpg/kinit-NAME.asc. Read it from a file of the playbook.
	Key string `hcl:"key,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, repository.Outputs](module.Kind{Name: "zypper_repository"})
}

var alias = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (t *Task) Validate() error {
	if !alias.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want letters, digits, \"-\", \"_\" and \".\"", t.Name)
	}
	if t.Absent() {
		return nil
	}
	u, err := url.Parse(t.URL)
	switch {
	case err != nil || u.Scheme == "" || strings.ContainsAny(t.URL, " \t\r\n"):
		return fmt.Errorf("url is %q, want one such as \"https://rpm.example/suse/$releasever\"", t.URL)
	case strings.ContainsAny(t.Description, "\r\n"):
		return errors.New("description has a line break, want one line")
	case t.Priority < 1 || t.Priority > 200:
		return fmt.Errorf("priority is %d, want a number from 1 to 200", t.Priority)
	}
	return repository.CheckKey(t.Key)
}

// text is the content of the file; zypper writes the same for "zypper addrepo".
func (t *Task) text() string {
	var b strings.Builder
	flag := map[bool]string{true: "1", false: "0"}
	fmt.Fprintf(&b, "# Made by kinit.\n[%s]\nname=%s\nenabled=%s\nautorefresh=%s\nbaseurl=%s\ntype=rpm-md\npriority=%d\ngpgcheck=%s\n",
		t.Name, cmp.Or(t.Description, t.Name), flag[t.Enabled], flag[t.AutoRefresh], t.URL, t.Priority, flag[t.GPGCheck])
	if t.Key != "" {
		fmt.Fprintf(&b, "gpgkey=file://%s\n", repository.KeyFile(t.Name))
	}
	return b.String()
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.repository().Plan(ctx, h)
}

func (t *Task) repository() repository.RPM {
	return repository.RPM{
		Name: t.Name, Path: path.Join("/etc/zypp/repos.d", t.Name+".repo"), Text: t.text(), Key: t.Key,
		Enabled: t.Enabled, Absent: t.Absent(), Refresh: t.refresh,
	}
}

// refresh has rpm trust the key, and reads only this repository. zypper's own option for keys
// would trust whichever key the server has.
func (t *Task) refresh(ctx context.Context, h module.Host) error {
	if t.Key != "" {
		if err := module.Exec(ctx, h, "rpm", "--import", repository.KeyFile(t.Name)); err != nil {
			return err
		}
	}
	env := map[string]string{"ZYPP_LOCK_TIMEOUT": packages.LockSeconds}
	return packages.Run(ctx, h, env, "zypper", "--non-interactive", "refresh", "--repo", t.Name)
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (repository.Outputs, error) {
	return t.repository().Outputs(), ctx.Err()
}

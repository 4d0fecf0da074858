// Package dnfrepository is the module "dnf_repository": a repository of packages
// for dnf, with the key that signs it.
package dnfrepository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/packages"
	"kinit/modules/internal/repository"
)

// Task is a repository in /etc/yum.repos.d/NAME.repo, for dnf and for yum. When the
// file or the key changes, dnf reads an enabled repository; if it cannot read it, that is
// an error and the files are restored.
//
// Files that kinit makes are marked, and cleanup removes them; on a host that belongs to a
// cluster, foreign files are not replaced. The tests use the real dnf 4 of
// Debian; Fedora and RHEL themselves, and dnf 5, are not tested.
//
// Errors:
//   - dnf cannot read the enabled repository
//   - not exactly one of base_urls, metalink and mirrorlist is given
//   - packages or package lists must be verified, and there is no key for it
//   - key is not a public key in ASCII armour
//   - a file with that name has other content and the cluster does not own it
type Task struct {
	// Name is the repository's id and the file's name: letters, digits, "-", "_", "."
	// and ":".
	Name string `hcl:"name"`
	// Description is the repository's name in dnf's output. Default: the name.
	Description string `hcl:"description,optional"`
	// BaseURLs are its addresses; exactly one of base_urls, metalink and mirrorlist is
	// given. dnf expands $releasever and $basearch.
	BaseURLs []string `hcl:"base_urls,optional"`
	// Metalink is the URL of a list of mirrors with checksums.
	Metalink string `hcl:"metalink,optional"`
	// Mirrorlist is the URL of a list of mirrors.
	Mirrorlist string `hcl:"mirrorlist,optional"`
	// Enabled makes dnf use it.
	Enabled bool `hcl:"enabled,optional" default:"true"`
	// GPGCheck verifies packages, which needs key or gpg_keys.
	GPGCheck bool `hcl:"gpgcheck,optional" default:"true"`
	// RepoGPGCheck also verifies the package lists. Default false, because many repositories
	// do not sign them.
	RepoGPGCheck bool `hcl:"repo_gpgcheck,optional"`
	// Key is the public key that signs it, in ASCII armour; it is stored in
	// /etc/pki/rpm-gpg/kinit-NAME.asc. Read it from a file of the playbook.
	Key string `hcl:"key,optional"`
	// GPGKeys are URLs of further keys, which dnf fetches and trusts; "file:///…" is
	// a key on the host.
	GPGKeys []string `hcl:"gpg_keys,optional"`
	// Options are further settings, such as { priority = "10" }; man 5 dnf.conf.
	Options map[string]string `hcl:"options,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, repository.Outputs](module.Kind{Name: "dnf_repository"})
}

var (
	repositoryID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)
	setting      = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

func (t *Task) Validate() error {
	if !repositoryID.MatchString(t.Name) {
		return fmt.Errorf("name is %q, want letters, digits, \"-\", \"_\", \".\" and \":\"", t.Name)
	}
	if t.Absent() {
		return nil
	}
	given := 0
	for _, is := range []bool{len(t.BaseURLs) > 0, t.Metalink != "", t.Mirrorlist != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("want exactly one of base_urls, metalink and mirrorlist")
	case strings.ContainsAny(t.Description, "\r\n"):
		return errors.New("description has a line break, want one line")
	case (t.GPGCheck || t.RepoGPGCheck) && t.Key == "" && len(t.GPGKeys) == 0:
		return errors.New("there is no key to verify with, want key or gpg_keys, or gpgcheck = false")
	}
	if err := repository.CheckKey(t.Key); err != nil {
		return err
	}
	// Blanks and line ends would split a value.
	for _, one := range slices.Concat(t.BaseURLs, t.GPGKeys, []string{t.Metalink, t.Mirrorlist}) {
		u, err := url.Parse(one)
		if one != "" && (err != nil || u.Scheme == "" || strings.ContainsAny(one, " \t\r\n,")) {
			return fmt.Errorf("%q is no URL, want one such as \"https://rpm.example/el$releasever\"", one)
		}
	}
	for name, value := range t.Options {
		if !setting.MatchString(name) || strings.ContainsAny(value, "\r\n") {
			return fmt.Errorf("options has %s = %q, want a setting's name and one line", name, value)
		}
	}
	return nil
}

// text is the content of the file; man 5 dnf.conf, REPO OPTIONS.
func (t *Task) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by kinit.\n[%s]\n", t.Name)
	set := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s=%s\n", name, value)
		}
	}
	flag := map[bool]string{true: "1", false: "0"}
	keys := t.GPGKeys
	if t.Key != "" {
		keys = append([]string{"file://" + repository.KeyFile(t.Name)}, keys...)
	}
	set("name", cmp.Or(t.Description, t.Name))
	set("baseurl", strings.Join(t.BaseURLs, " "))
	set("metalink", t.Metalink)
	set("mirrorlist", t.Mirrorlist)
	set("enabled", flag[t.Enabled])
	set("gpgcheck", flag[t.GPGCheck])
	set("repo_gpgcheck", flag[t.RepoGPGCheck])
	set("gpgkey", strings.Join(keys, " "))
	for _, name := range slices.Sorted(maps.Keys(t.Options)) {
		set(name, t.Options[name])
	}
	return b.String()
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.repository().Plan(ctx, h)
}

func (t *Task) repository() repository.RPM {
	return repository.RPM{
		Name: t.Name, Path: path.Join("/etc/yum.repos.d", t.Name+".repo"), Text: t.text(), Key: t.Key,
		Enabled: t.Enabled, Absent: t.Absent(), Refresh: t.refresh,
	}
}

// refresh reads only this repository. dnf reads the key for its lists from the file.
func (t *Task) refresh(ctx context.Context, h module.Host) error {
	program := "dnf"
	there, err := hostfile.Exists(ctx, h, "/usr/bin/dnf")
	if err != nil {
		return err
	}
	if !there {
		program = "yum"
	}
	return packages.Run(ctx, h, nil,
		program, "-y", "--disablerepo=*", "--enablerepo="+t.Name, "--setopt="+t.Name+".skip_if_unavailable=False", "makecache")
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (repository.Outputs, error) {
	return t.repository().Outputs(), ctx.Err()
}

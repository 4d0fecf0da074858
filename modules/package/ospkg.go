// Package ospkg is the module "package": packages of the host's distribution, by the
// host's package manager.
package ospkg

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/packages"
)

// Task is a set of installed or absent packages.
//
// It uses apt on Debian, Ubuntu and their derivatives, dnf or yum on Fedora, RHEL and
// their derivatives, zypper on SUSE and openSUSE, pacman on Arch Linux, apk on Alpine Linux, and their derivatives.
//
// Without names and files it refreshes the package lists alone: with max_list_age if they are
// older, else in each run.
//
// Packages that kinit installs are marked; cleanup removes them only if everything is
// purged, and then also releases holds that kinit set. The package manager manages their
// dependencies; recommended packages are not installed.
//
// kinit is developed on Debian. Its tests install, change, hold and remove real packages
// with dnf 4 and pacman there; zypper, apk, Fedora, RHEL, SUSE, Arch Linux, Alpine Linux, dnf 5 and yum themselves are
// not tested. Holding with dnf needs its plug-in versionlock, and "latest" needs dnf instead of the
// old yum. With pacman, a fresh list and an old system do not go together: see Arch Linux' manual
// about partial upgrades. With apk, a package that names has with a version stays at it, and a
// file needs the signature of a key in /etc/apk/keys.
//
// Errors:
//   - a package or version does not exist, or the package manager fails; the error has its
//     last lines
//   - apt, zypper or apk waits for more than 300 s for another one's lock
//   - a package that should be absent is installed and the cluster does not own it
//   - with a package that should be absent, the package manager would remove others that names does not list
//   - dnf should hold packages and the plug-in versionlock is missing
//   - a file is missing or no package, or users other than root can change it
//   - the package manager lacks an option that is given
//   - held is given and the package manager is pacman or apk
//   - the host has none of apt, dnf, yum, zypper, pacman and apk: use a command task for its
//     package manager
type Task struct {
	// Names are the packages; "name=version" selects a version in the package manager's
	// notation: with apt the whole version, with the others also without release
	// or epoch. A "*" at the end matches anything (not with zypper and apk). Virtual
	// packages and architectures are not supported.
	Names []string `hcl:"names,optional"`
	// Files are packages in files of the host, by their absolute paths. One is installed if its
	// version is not. What it needs comes from the repositories. Only root may be able to
	// change or to replace a file: the scripts in a package run as root.
	Files []string `hcl:"files,optional" path:"clean"`
	// State is the wanted state. "latest" is the newest version in the host's package lists,
	// with release that of the release; a held package then keeps its version.
	State string `hcl:"state,optional" enum:"present,absent,latest" default:"present"`
	// Held = true keeps the packages at their version when the host is upgraded; false
	// releases them. A version in names changes a held package all the same.
	// Default: unchanged.
	Held *bool `hcl:"held,optional"`
	// UpdateCache refreshes the package lists before an install. Otherwise they are
	// refreshed only if the install fails with the existing lists.
	UpdateCache bool `hcl:"update_cache,optional"`
	// ListAge is the greatest age of the package lists, such as "1h": older ones are refreshed
	// before an install.
	ListAge module.Duration `hcl:"max_list_age,optional"`
	// Release is the release to install from with apt, such as "bookworm-backports".
	Release string `hcl:"release,optional"`
	// Recommends installs what the packages recommend, too. Not with pacman and apk.
	Recommends bool `hcl:"recommends,optional"`
	// EnableRepositories are repositories of dnf that are used for this install though they are
	// disabled.
	EnableRepositories []string `hcl:"enable_repositories,optional"`
	// DisableRepositories are repositories of dnf that are not used for this install; "*" is all
	// of them.
	DisableRepositories []string `hcl:"disable_repositories,optional"`

	files []packages.Spec // what Files have in them; read fills it in
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "package", Elsewhere: "win_package", Marks: []module.MarkKind{
		module.NewMarkKind("package", "package", undoPackage, module.MarkTraits{Shared: true, Refusal: packageNeeded}),
		module.NewMarkKind(packages.MarkOfHold, "hold of package", undoHold, module.MarkTraits{Shared: true}),
	}})
}

// packageName matches the characters that Debian's policy, section 5.6.1, and rpm allow,
// perhaps with a version.
var packageName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*(=[A-Za-z0-9.+:~^_-]+\*?)?$`)

func (t *Task) Validate() error {
	for _, name := range t.Names {
		if !packageName.MatchString(name) {
			return fmt.Errorf("names has %q, want a package name such as \"curl\" or \"curl=7.88.1-10\"", name)
		}
	}
	switch {
	case t.ListAge != "" && t.ListAge.Time() <= 0:
		return fmt.Errorf("max_list_age is %q, want a duration such as \"1h\"", string(t.ListAge))
	case len(t.Names) == 0 && len(t.Files) == 0 && !t.UpdateCache && t.ListAge == "":
		return errors.New("names is empty, want at least one package")
	case t.lists() && (t.State != "present" || t.Held != nil):
		return errors.New("names is empty, want the packages that state and held are for")
	case t.State == "absent" && t.Held != nil:
		return errors.New("held is for installed packages, want it without state = \"absent\"")
	case t.State != "present" && len(t.Files) > 0:
		return fmt.Errorf("files is for packages to install, want it without state = %q", t.State)
	}
	for name, values := range map[string][]string{
		"release": {t.Release}, "enable_repositories": t.EnableRepositories, "disable_repositories": t.DisableRepositories,
	} {
		for _, value := range values {
			if value != "" && !optionWord.MatchString(value) {
				return fmt.Errorf("%s has %q, want a name", name, value)
			}
		}
	}
	return nil
}

// optionWord matches the name of a release or a repository; it may have a "*".
var optionWord = regexp.MustCompile(`^[A-Za-z0-9*][A-Za-z0-9._:/*-]*$`)

// lists reports whether the task refreshes the package lists and does nothing else.
func (t *Task) lists() bool { return len(t.Names) == 0 && len(t.Files) == 0 }

// Unverifiable reports whether the task is a change in each run.
func (t *Task) Unverifiable() bool { return t.lists() && t.ListAge == "" }

// specs parses the names, and adds what the files have in them.
func (t *Task) specs() []packages.Spec {
	return slices.Concat(lists.Map(t.Names, packages.Parse), t.files)
}

func (t *Task) packages() []string {
	return lists.Map(t.specs(), func(s packages.Spec) string { return s.Name })
}

// state is the package manager's data about the names.
type state struct {
	manager   packages.Manager
	installed map[string][]string // the notations of the version, by name
	newest    map[string]string   // version by name; only for latest
	held      map[string]bool     // only if needed
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.manager, err = packages.Of(ctx, h); err != nil {
		return s, err
	}
	for option, given := range map[packages.Option]bool{
		packages.Release: t.Release != "", packages.Recommends: t.Recommends,
		packages.Repositories: len(t.EnableRepositories)+len(t.DisableRepositories) > 0,
	} {
		if given && !slices.Contains(s.manager.Options(), option) {
			return s, fmt.Errorf("the package manager of this host does not know %s: leave it out there, as with when", option)
		}
	}
	if err := t.readFiles(ctx, h, s.manager); err != nil {
		return s, err
	}
	if s.installed, err = s.manager.Installed(ctx, h, t.packages()); err != nil {
		return s, err
	}
	if t.State == "latest" {
		if s.newest, err = s.manager.Newest(ctx, h, t.packages(), t.options()); err != nil {
			return s, err
		}
	}
	if t.Held == nil && !t.changes(s) {
		return s, nil
	}
	s.held, err = s.manager.Held(ctx, h, t.packages())
	return s, err
}

// changes reports whether an installed package must be changed or removed.
func (t *Task) changes(s state) bool {
	return t.State == "absent" && len(s.installed) > 0 || len(t.missing(s).specs) > len(t.missing(s).fresh)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.lists() {
		return t.planLists(ctx, h)
	}
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.planAbsent(ctx, h, s)
	}
	var steps []module.Step
	if c := t.missing(s); len(c.specs) > 0 {
		steps = append(steps, module.NewStep(strings.Join(c.texts, ", "), t.install))
	}
	return append(steps, t.planHold(s)...), nil
}

type Outputs struct {
	Versions map[string]string `cty:"versions"` // the installed version by package name
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	if t.lists() {
		return Outputs{}, ctx.Err()
	}
	s, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	versions := map[string]string{}
	for name, version := range s.installed {
		versions[name] = version[0]
	}
	return Outputs{Versions: versions}, nil
}

// undoPackage removes a package with its configuration. Packages that were installed along
// with it remain: others may need them by now. If packages need it that kinit did not install, all remain.
func undoPackage(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || manager == nil {
		return err
	}
	if err := keeps(ctx, h, manager, mark); err != nil {
		return err
	}
	if held {
		if err := manager.Hold(ctx, h, mark.ID, false); err != nil {
			return err
		}
	}
	return manager.Change(ctx, h, packages.Change{Remove: []string{mark.ID}, Purge: true})
}

// packageNeeded returns why a package stays that is installed.
func packageNeeded(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, _, err := look(ctx, h, mark.ID)
	if err != nil || manager == nil {
		return err
	}
	return keeps(ctx, h, manager, mark)
}

// keeps returns an error if packages need this one that the owner did not install.
func keeps(ctx context.Context, h module.Host, manager packages.Manager, mark module.Mark) error {
	marks, err := h.Marks(ctx)
	if err != nil {
		return err
	}
	var own []string
	for _, one := range marks {
		if one.Kind == mark.Kind {
			own = append(own, one.ID)
		}
	}
	others, err := beside(ctx, h, manager, []string{mark.ID}, append(own, mark.ID))
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return fmt.Errorf("it stays, because packages need it that %s did not install: %s. Remove them yourself if nothing needs them, and run again; "+
			"or run without purge, which leaves packages installed", h.Owner(), strings.Join(others, ", "))
	}
	return nil
}

func undoHold(ctx context.Context, h module.Host, mark module.Mark) error {
	manager, held, err := look(ctx, h, mark.ID)
	if err != nil || !held {
		return err
	}
	return manager.Hold(ctx, h, mark.ID, false)
}

// look returns the package manager and whether a package is held, or no manager if
// the package is not installed.
func look(ctx context.Context, h module.Host, name string) (packages.Manager, bool, error) {
	manager, err := packages.Of(ctx, h)
	if err != nil {
		return nil, false, err
	}
	installed, err := manager.Installed(ctx, h, []string{name})
	if err != nil || len(installed) == 0 {
		return nil, false, err
	}
	held, err := manager.Held(ctx, h, []string{name})
	return manager, held[name], err
}

// Package ospkg is the module "package": packages of the host's distribution, with
// the package manager that the host has.
package ospkg

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/packages"
)

// Task is packages that are installed, or not.
//
// It uses apt on Debian, Ubuntu and what descends from them, dnf or yum on Fedora,
// RHEL and theirs, zypper on SUSE and openSUSE.
//
// Packages that kinit installs are marked and stay on cleanup unless everything is
// purged; what it holds is free again then. What they need in turn is left to the
// package manager; recommended packages are not installed.
//
// kinit is developed on Debian. With dnf 4 its tests install, change, hold and
// remove real packages there; zypper, Fedora, RHEL, SUSE, dnf 5 and yum themselves
// have not been tried. Holding with dnf needs its plug-in versionlock,
// and "latest" needs dnf instead of the old yum.
//
// Outputs:
//   - versions: the installed version by package name
//
// Errors:
//   - there is no such package or version, or the package manager fails; its last
//     lines are told
//   - apt or zypper waits for more than 300 s for another one's lock
//   - a package is to be absent that is installed and the cluster does not own
//   - dnf is to hold packages and has no plug-in versionlock
//   - the host has none of apt, dnf, yum and zypper: use a command task for its
//     package manager
type Task struct {
	// Names are the packages; "name=version" asks for one version, as the package
	// manager writes it: with apt the whole one, with the others also without release
	// or epoch. A "*" at its end stands for anything (not with zypper). Virtual
	// packages and architectures are not known.
	Names []string `hcl:"names"`
	// State is "present", "absent", or "latest": as new as the host's package lists
	// know. A held package stays at its version then. Default "present".
	State string `hcl:"state,optional"`
	// Held keeps the packages at their version when the host is upgraded, or, with
	// false, no longer. A version in names changes a held package all the same.
	// Default: as it is.
	Held *bool `hcl:"held,optional"`
	// UpdateCache refreshes the package lists before an install. Otherwise they are
	// refreshed only when the install does not work with those that are there.
	// Default false.
	UpdateCache bool `hcl:"update_cache,optional"`
}

// Kind is the module "package".
func Kind() module.Kind {
	return module.Kind{Name: "package", Elsewhere: "win_package", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if len(t.Names) == 0 {
		return errors.New("names is empty, want at least one package")
	}
	// What Debian's policy, section 5.6.1, and rpm allow.
	valid := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*(=[A-Za-z0-9.+:~^_-]+\*?)?$`)
	for _, name := range t.Names {
		if !valid.MatchString(name) {
			return fmt.Errorf("names has %q, want a package name such as \"curl\" or \"curl=7.88.1-10\"", name)
		}
	}
	if t.State == "absent" && t.Held != nil {
		return errors.New("held is for installed packages, want it without state = \"absent\"")
	}
	return fileattr.CheckState(t.State, "present", "absent", "latest")
}

// specs are the packages.
func (t *Task) specs() []packages.Spec {
	var all []packages.Spec
	for _, name := range t.Names {
		all = append(all, packages.Parse(name))
	}
	return all
}

func (t *Task) packages() []string {
	var all []string
	for _, s := range t.specs() {
		all = append(all, s.Name)
	}
	return all
}

// state is what the package manager knows about the names.
type state struct {
	manager   packages.Manager
	installed map[string][]string // the ways to write the version, by name
	newest    map[string]string   // version by name; only for latest
	held      map[string]bool     // only where it matters
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.manager, err = packages.Of(ctx, h); err != nil {
		return s, err
	}
	if s.installed, err = s.manager.Installed(ctx, h, t.packages()); err != nil {
		return s, err
	}
	if t.State == "latest" {
		if s.newest, err = s.manager.Newest(ctx, h, t.packages()); err != nil {
			return s, err
		}
	}
	if t.Held == nil && !t.changes(s) {
		return s, nil
	}
	s.held, err = s.manager.Held(ctx, h, t.packages())
	return s, err
}

// changes tells whether an installed package is to be changed or removed.
func (t *Task) changes(s state) bool {
	return t.State == "absent" && len(s.installed) > 0 || len(t.missing(s).specs) > len(t.missing(s).fresh)
}

// Plan compares the installed packages with the names.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
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

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"versions": cty.Map(cty.String)}
}

// Outputs reads the installed versions.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	versions := map[string]cty.Value{}
	for name, version := range s.installed {
		versions[name] = cty.StringVal(version[0])
	}
	if len(versions) == 0 {
		return map[string]cty.Value{"versions": cty.MapValEmpty(cty.String)}, nil
	}
	return map[string]cty.Value{"versions": cty.MapVal(versions)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

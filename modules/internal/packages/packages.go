// Package packages queries and runs the package manager of a host.
//
// It does not decide about the installation; the module package does.
package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/hostfile"
)

// Manager is a package manager. Its programs never ask questions.
type Manager interface {
	// Installed returns the installed ones of the packages: by name the notations of
	// their version, the full one first.
	Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error)
	// All returns the version of each installed package, by name.
	All(ctx context.Context, h module.Host) (map[string]string, error)
	// Newest returns the newest version of each installed package in the
	// host's package lists, as an install with the options of a change would take it. One
	// without a newer version can be missing.
	Newest(ctx context.Context, h module.Host, names []string, options Change) (map[string]string, error)
	// Held returns the packages that are held at their version.
	Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error)
	// Going simulates a removal, and returns all packages that it would remove: those named, which are
	// installed, and those that need them. It changes nothing.
	Going(ctx context.Context, h module.Host, names []string) ([]string, error)
	// Change installs and removes. Packages that came as dependencies of a removed one stay. A held package that is named is changed, and is
	// held afterwards.
	Change(ctx context.Context, h module.Host, c Change) error
	// Describe returns the name and the version of a package in a file of the host.
	Describe(ctx context.Context, h module.Host, file string) (Spec, error)
	// Options are those of a Change that the manager knows.
	Options() []Option
	// Hold holds an installed package at its version, or releases it.
	Hold(ctx context.Context, h module.Host, name string, hold bool) error
}

// Spec is a package to install.
type Spec struct {
	Name    string
	Version string // "" for any; a "*" at the end stands for anything
	Newest  bool   // the version is the newest one of the repositories, and not a wish
	File    string // a file of the host that has the package; "" for one of a repository
}

// Parse splits "name=version".
func Parse(text string) Spec {
	name, version, _ := strings.Cut(text, "=")
	return Spec{Name: name, Version: version}
}

// Fits reports whether one of the notations of an installed version is the requested
// one.
func (s Spec) Fits(have []string) bool {
	start, open := strings.CutSuffix(s.Version, "*")
	return s.Version == "" || slices.ContainsFunc(have, func(version string) bool {
		return version == s.Version || open && strings.HasPrefix(version, start)
	})
}

// Change is the work of a package manager.
type Change struct {
	Refresh bool     // read the package lists of the repositories first
	Install []Spec   // with their dependencies
	Remove  []string // with the packages that need them, which Going returns
	Purge   bool     // also remove their configuration, if the manager supports it
	Held    []string // of those, the ones that are held

	Release    string   // the release of the distribution to install from
	Recommends bool     // also install what packages recommend
	Enable     []string // repositories that are otherwise disabled
	Disable    []string // repositories that are not used
}

// Option is an option of a Change that not all managers have.
type Option string

// The options, by the names of the arguments.
const (
	Release      Option = "release"
	Recommends   Option = "recommends"
	Repositories Option = "enable_repositories and disable_repositories"
)

// words are the packages for a manager's command line.
func words(specs []Spec, separator string) []string {
	return lists.Map(specs, func(s Spec) string {
		return cmp.Or(s.File, strings.TrimSuffix(s.Name+separator+s.Version, separator))
	})
}

// one reads the name and the version of the package in a file.
func one(text, file string, err error) (Spec, error) {
	if err != nil {
		return Spec{}, fmt.Errorf("read the package %s: %w", file, err)
	}
	for name, version := range parsePairs(text) {
		return Spec{Name: name, Version: version, File: file}, nil
	}
	return Spec{}, fmt.Errorf("read the package %s: %q is no name and version", file, text)
}

// first returns the full notation of each version.
func first(installed map[string][]string) map[string]string {
	all := map[string]string{}
	for name, notations := range installed {
		all[name] = notations[0]
	}
	return all
}

// MarkOfHold is the kind of the mark of a package that kinit holds; the ID is its
// name.
const MarkOfHold = "package_hold"

// Of returns the package manager of a host: that of its distribution by
// /etc/os-release, or else the one whose program is installed.
func Of(ctx context.Context, h module.Host) (Manager, error) {
	release, _, err := hostfile.Read(ctx, h, "/etc/os-release")
	if err != nil {
		return nil, err
	}
	var there []string
	for _, program := range programs {
		_, err := h.Files().Stat(ctx, path.Join("/usr/bin", program)) // apk is known by its distribution
		if err == nil {
			there = append(there, program)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if manager := managers[choose(release, there)]; manager != nil {
		return manager, nil
	}
	name := "this host"
	if system := OSRelease(release, "PRETTY_NAME"); system != "" {
		name += ", with " + system + ","
	}
	return nil, fmt.Errorf("packages are installed with apt, dnf, yum, zypper, pacman or apk, and %s has none of them: use a command task for its package manager", name)
}

// managers are the package managers by their programs.
var managers = map[string]Manager{
	"apt-get": apt{}, "zypper": zypper{}, "pacman": pacman{}, "apk": apk{}, "dnf": dnf{program: "dnf"}, "yum": dnf{program: "yum"},
}

// programs are the package managers, the preferred one first.
var programs = []string{"apt-get", "dnf", "zypper", "yum", "pacman"}

// distributions are the programs by the ID of a distribution. Old ones have yum instead of dnf.
var distributions = map[string]string{
	"debian": "apt-get", "ubuntu": "apt-get", "arch": "pacman", "alpine": "apk",
	"suse": "zypper", "opensuse": "zypper", "sles": "zypper", "fedora": "dnf", "rhel": "dnf", "centos": "dnf",
}

// choose decides by data: the distribution and its ancestors from ID and ID_LIKE of
// os-release, man 5 os-release, and the programs that the host has.
func choose(release string, there []string) string {
	for _, id := range strings.Fields(OSRelease(release, "ID") + " " + OSRelease(release, "ID_LIKE")) {
		if strings.HasPrefix(id, "opensuse-") {
			id = "opensuse"
		}
		switch program := distributions[id]; {
		case program == "dnf" && !slices.Contains(there, "dnf") && slices.Contains(there, "yum"):
			return "yum"
		case program != "":
			return program
		}
	}
	if len(there) == 0 {
		return ""
	}
	return there[0]
}

// OSRelease returns a value of /etc/os-release, "" for one that is not there; man 5 os-release.
func OSRelease(text, name string) string {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// Run runs a program of a package manager and shows what it prints. Its messages are in English; the scripts of packages
// get the host's locale, which a database that they create takes over.
func Run(ctx context.Context, h module.Host, env map[string]string, argv ...string) error {
	all := map[string]string{"LC_MESSAGES": "C", "LANGUAGE": ""}
	maps.Copy(all, env)
	_, err := h.Run(ctx, module.Command{Argv: argv, Env: all, Line: cmdtext.Progress(h), AsLogin: true})
	return err
}

// tool runs the command lines of a change and shows what they print.
type tool struct {
	env  map[string]string
	fine []int // exit codes that mean success, beside 0
}

// run runs lines in order. Nil ones are left out.
func (t tool) run(ctx context.Context, h module.Host, lines ...[]string) error {
	for _, argv := range lines {
		if argv == nil {
			continue
		}
		if err := Run(ctx, h, t.env, argv...); err != nil && (len(t.fine) == 0 || !module.Exited(err, t.fine...)) {
			return err
		}
	}
	return nil
}

// attempt runs an install and, if that fails, the lines that repair the cause and try again.
func (t tool) attempt(ctx context.Context, h module.Host, install []string, again ...[]string) error {
	err := t.run(ctx, h, install)
	if !module.Exited(err) {
		return err
	}
	return t.run(ctx, h, again...)
}

// lists returns the line that reads the package lists, if the change is to begin with it.
func (c Change) lists(line []string) []string {
	if c.Refresh {
		return line
	}
	return nil
}

// with returns a line with the packages that it is for; nil without any.
func with(line, packages []string) []string {
	if len(packages) == 0 {
		return nil
	}
	return append(line, packages...)
}

// among returns those of the names that are in a list.
func among(names, list []string) map[string]bool {
	found := map[string]bool{}
	for _, name := range list {
		if slices.Contains(names, name) {
			found[name] = true
		}
	}
	return found
}

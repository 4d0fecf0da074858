// Package packages queries and runs the package manager of a host.
//
// It does not decide about the installation; the module package does.
package packages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

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
	// Change installs and removes. A held package that is named is changed, and is
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
	if s.Version == "" {
		return true
	}
	for _, version := range have {
		start, open := strings.CutSuffix(s.Version, "*")
		if version == s.Version || open && strings.HasPrefix(version, start) {
			return true
		}
	}
	return false
}

// Change is the work of a package manager.
type Change struct {
	Refresh bool     // read the package lists of the repositories first
	Install []Spec   // with their dependencies
	Remove  []string // with their dependents
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
	var all []string
	for _, s := range specs {
		switch {
		case s.File != "":
			all = append(all, s.File)
		default:
			all = append(all, strings.TrimSuffix(s.Name+separator+s.Version, separator))
		}
	}
	return all
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
	switch program := choose(release, there); program {
	case "apt-get":
		return apt{}, nil
	case "zypper":
		return zypper{}, nil
	case "pacman":
		return pacman{}, nil
	case "apk":
		return apk{}, nil
	case "dnf", "yum":
		return dnf{program}, nil
	}
	name := pretty(release)
	return nil, fmt.Errorf("packages are installed with apt, dnf, yum, zypper, pacman or apk, and %s has none of them: use a command task for its package manager", name)
}

// programs are the package managers, the preferred one first.
var programs = []string{"apt-get", "dnf", "zypper", "yum", "pacman"}

// choose decides by data: the distribution and its ancestors from ID and ID_LIKE of
// os-release, man 5 os-release, and the programs that the host has.
func choose(release string, there []string) string {
	has := func(name string) bool { return slices.Contains(there, name) }
	for _, id := range strings.Fields(value(release, "ID") + " " + value(release, "ID_LIKE")) {
		switch {
		case id == "debian" || id == "ubuntu":
			return "apt-get"
		case id == "arch":
			return "pacman"
		case id == "alpine":
			return "apk"
		case id == "suse" || id == "opensuse" || strings.HasPrefix(id, "opensuse-") || id == "sles":
			return "zypper"
		case (id == "fedora" || id == "rhel" || id == "centos") && !has("dnf") && has("yum"):
			return "yum"
		case id == "fedora" || id == "rhel" || id == "centos":
			return "dnf"
		}
	}
	if len(there) == 0 {
		return ""
	}
	return there[0]
}

func value(release, name string) string {
	for line := range strings.Lines(release) {
		if text, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
			return strings.Trim(text, `"'`)
		}
	}
	return ""
}

func pretty(release string) string {
	if name := value(release, "PRETTY_NAME"); name != "" {
		return "this host, with " + name + ","
	}
	return "this host"
}

// run runs a program and shows what it prints.
func run(ctx context.Context, h module.Host, env map[string]string, argv ...string) (module.Output, error) {
	return h.Run(ctx, module.Command{Argv: argv, Env: env, Line: cmdtext.Progress(h)})
}

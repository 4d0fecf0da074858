// Package packages asks and drives the package manager of a host, whichever it has.
//
// It does not decide what should be installed; the module package does.
package packages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/hostfile"
)

// Manager is a package manager. Its programs never ask questions.
type Manager interface {
	// Installed tells which of the packages are there: by name the ways in which
	// their version may be written, the full one first.
	Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error)
	// Newest tells the version that each installed package could have, as far as the
	// host's package lists know. One without a newer version may be missing.
	Newest(ctx context.Context, h module.Host, names []string) (map[string]string, error)
	// Held tells which of the packages are kept at their version.
	Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error)
	// Change installs and removes. A held package that is named is changed, and is
	// held afterwards.
	Change(ctx context.Context, h module.Host, c Change) error
	// Hold keeps an installed package at its version, or no longer.
	Hold(ctx context.Context, h module.Host, name string, hold bool) error
}

// Spec is a package to install.
type Spec struct {
	Name    string
	Version string // "" for any; a "*" at the end stands for anything
}

// Parse takes a version off "name=version".
func Parse(text string) Spec {
	name, version, _ := strings.Cut(text, "=")
	return Spec{name, version}
}

// Fits tells whether one of the ways to write an installed version is the one that
// is asked for.
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

// Change is what a package manager is to do.
type Change struct {
	Refresh bool     // read the package lists of the repositories first
	Install []Spec   // with what they need
	Remove  []string // with what needs them
	Purge   bool     // remove their configuration too, where the manager knows of that
	Held    []string // of those, the ones that are held
}

// MarkOfHold is the kind of the mark of a package that kinit holds; the ID is its
// name.
const MarkOfHold = "package_hold"

// Of returns the package manager of a host: that of its distribution, as
// /etc/os-release names it, or else the one whose program is there.
func Of(ctx context.Context, h module.Host) (Manager, error) {
	release, _, err := hostfile.Read(ctx, h, "/etc/os-release")
	if err != nil {
		return nil, err
	}
	var there []string
	for _, program := range programs() {
		_, err := h.Files().Stat(ctx, path.Join("/usr/bin", program))
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
	case "dnf", "yum":
		return dnf{program}, nil
	}
	name := pretty(release)
	return nil, fmt.Errorf("packages are installed with apt, dnf, yum or zypper, and %s has none of them: use a command task for its package manager", name)
}

// programs are the package managers, the one to be preferred first.
func programs() []string { return []string{"apt-get", "dnf", "zypper", "yum"} }

// choose decides by data: the distribution and its ancestors from ID and ID_LIKE of
// os-release, man 5 os-release, and the programs that the host has.
func choose(release string, there []string) string {
	has := func(name string) bool {
		for _, one := range there {
			if one == name {
				return true
			}
		}
		return false
	}
	for _, id := range strings.Fields(value(release, "ID") + " " + value(release, "ID_LIKE")) {
		switch {
		case id == "debian" || id == "ubuntu":
			return "apt-get"
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

// value reads a line of os-release.
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

// codeIs tells whether an error is that of a program that ended with one of the
// codes.
func codeIs(err error, codes ...int) bool {
	var exit *module.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	for _, code := range codes {
		if exit.Code == code {
			return true
		}
	}
	return false
}

package packages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
)

// dnf is rpm and dnf, of Fedora and its derivatives, or yum, which on most of
// these is another name of dnf.
type dnf struct {
	rpm
	program string
}

func (dnf) Options() []Option { return []Option{Recommends, Repositories} }

// upgradeFormat ends in a line end, which dnf 4 adds by itself and dnf 5 does not.
const upgradeFormat = "%{name} %{evr}\n"

func (d dnf) Newest(ctx context.Context, h module.Host, names []string, options Change) (map[string]string, error) {
	argv := slices.Concat([]string{d.program, "-q"}, repositories(options), []string{"repoquery", "--upgrades", "--qf", upgradeFormat, "--"}, names)
	out, err := h.Run(ctx, module.Command{Argv: argv})
	return parsePairs(out.Stdout), err
}

// parsePairs reads lines with a name and a version.
func parsePairs(text string) map[string]string {
	newest := map[string]string{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 {
			newest[fields[0]] = fields[1]
		}
	}
	return newest
}

// Held reads the list of the plug-in versionlock. Without it the host holds nothing.
func (d dnf) Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{d.program, "-q", "versionlock", "list"}})
	if noLocks(err) {
		return nil, nil
	}
	held := parseLocks(out.Stdout)
	maps.DeleteFunc(held, func(name string, _ bool) bool { return !slices.Contains(names, name) })
	return held, err
}

// noLocks reports whether dnf has no command versionlock.
func noLocks(err error) bool {
	exit, ok := errors.AsType[*module.ExitError](err)
	return ok && strings.Contains(exit.Stderr, "versionlock")
}

// nevra matches a package with its epoch, version and release.
var nevra = regexp.MustCompile(`^([^!\s].*)-\d+:[^-]+-[^-]+$`)

// parseLocks parses "name-epoch:version-release.*" of dnf 4, in which a "!" is an
// exclusion, and "Package name: name" of dnf 5.
func parseLocks(text string) map[string]bool {
	held := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, "Package name: "); found {
			held[name] = true
		} else if match := nevra.FindStringSubmatch(line); match != nil {
			held[match[1]] = true
		}
	}
	return held
}

// Hold locks the installed version: for a bare name, dnf 4 also locks the versions in
// the repositories.
func (d dnf) Hold(ctx context.Context, h module.Host, name string, hold bool) error {
	verb, what := "delete", name
	if hold {
		installed, err := d.Installed(ctx, h, []string{name})
		if err != nil {
			return err
		}
		if len(installed[name]) == 0 {
			return fmt.Errorf("package %s is not installed, so that it cannot be held", name)
		}
		verb, what = "add", name+"-"+installed[name][0]
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{d.program, "-q", "versionlock", verb, "--", what}})
	if noLocks(err) {
		return fmt.Errorf("hold %s: %w: the plug-in versionlock is missing on some systems: install python3-dnf-plugin-versionlock before", name, err)
	}
	return err
}

func (d dnf) Change(ctx context.Context, h module.Host, c Change) error {
	line := func(args ...string) []string { return append([]string{d.program, "-y"}, args...) }
	args := append(repositories(c), "install", "--")
	if !c.Recommends {
		args = append([]string{"--setopt=install_weak_deps=False"}, args...)
	}
	args = with(args, words(c.Install, "-"))
	if err := (tool{}).run(ctx, h, c.lists(line("makecache", "--refresh"))); err != nil {
		return err
	}
	return rehold(ctx, h, d, c, func() error {
		if args != nil {
			if err := (tool{}).attempt(ctx, h, line(args...), line(append([]string{"--refresh"}, args...)...)); err != nil {
				return err
			}
		}
		return tool{}.run(ctx, h, with(line("--setopt=clean_requirements_on_remove=False", "remove", "--"), c.Remove))
	})
}

// repositories are the options for the repositories that a change uses.
func repositories(c Change) []string {
	return append(lists.Map(c.Enable, func(name string) string { return "--enablerepo=" + name }),
		lists.Map(c.Disable, func(name string) string { return "--disablerepo=" + name })...)
}

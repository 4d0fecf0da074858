package packages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
)

// apk is that of Alpine Linux and its derivatives.
type apk struct{}

// apkName matches "musl-utils-1.2.4-r2": a version begins with a digit and ends with its release.
var apkName = regexp.MustCompile(`^(.+)-([0-9][^-]*-r[0-9]+)$`)

func (a apk) Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error) {
	all, err := a.All(ctx, h)
	installed := map[string][]string{}
	for _, name := range names {
		if version, there := all[name]; there {
			installed[name] = []string{version, release.ReplaceAllString(version, "")}
		}
	}
	return installed, err
}

// release matches the release at the end of a version.
var release = regexp.MustCompile(`-r[0-9]+$`)

func (apk) All(ctx context.Context, h module.Host) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"apk", "info", "-v"}})
	all := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if found := apkName.FindStringSubmatch(first); found != nil {
			all[found[1]] = found[2]
		}
	}
	return all, err
}

// Newest lists updates: a line is "musl-1.2.4-r1 < 1.2.4-r2".
func (apk) Newest(ctx context.Context, h module.Host, names []string, _ Change) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"apk", "version", "--limit", "<"}, names...)})
	newest := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] != "<" {
			continue
		}
		if found := apkName.FindStringSubmatch(fields[0]); found != nil && slices.Contains(names, found[1]) {
			newest[found[1]] = fields[2]
		}
	}
	return newest, err
}

// Held lists none: apk has no hold but a version in /etc/apk/world.
func (apk) Held(context.Context, module.Host, []string) (map[string]bool, error) {
	return map[string]bool{}, nil
}

func (apk) Hold(_ context.Context, _ module.Host, name string, _ bool) error {
	return fmt.Errorf("apk holds no packages, it keeps %s at a version that names has for it, as in \"%s=1.2-r0\": leave out held", name, name)
}

// Describe reads the package's own description, which is the file .PKGINFO in it.
func (apk) Describe(ctx context.Context, h module.Host, file string) (Spec, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"tar", "-xzO", "-f", file, ".PKGINFO"}})
	fields := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		name, value, _ := strings.Cut(line, " = ")
		fields[name] = strings.TrimSpace(value)
	}
	return one(fields["pkgname"]+" "+fields["pkgver"], file, err)
}

func (apk) Options() []Option { return nil }

// purging matches what apk prints for each package that goes, as "(1/2) Purging curl (8.9.1-r1)".
var purging = regexp.MustCompile(`(?m)^\(\d+/\d+\) Purging (\S+) `)

// simulate returns what apk would remove.
func (a apk) simulate(ctx context.Context, h module.Host, names []string, options ...string) ([]string, error) {
	argv := slices.Concat(a.line("del", "--simulate"), options, []string{"--"}, names)
	out, err := h.Run(ctx, module.Command{Argv: argv})
	var going []string
	for _, match := range purging.FindAllStringSubmatch(out.Stdout, -1) {
		going = append(going, match[1])
	}
	return going, err
}

// Going leaves out the dependencies that Change keeps.
func (a apk) Going(ctx context.Context, h module.Host, names []string) ([]string, error) {
	going, err := a.simulate(ctx, h, names, "--rdepends")
	if err != nil {
		return nil, err
	}
	unused, err := a.unused(ctx, h, names)
	return slices.DeleteFunc(going, func(name string) bool { return slices.Contains(unused, name) }), err
}

// unused returns the dependencies of packages that apk would remove with them. There are none if other packages
// need one of the packages: then apk removes nothing.
func (a apk) unused(ctx context.Context, h module.Host, names []string) ([]string, error) {
	going, err := a.simulate(ctx, h, names)
	return slices.DeleteFunc(going, func(name string) bool { return slices.Contains(names, name) }), err
}

// remove removes packages. apk also removes their dependencies that nothing else needs, unless they are asked
// for, so it asks for them first.
func (a apk) remove(ctx context.Context, h module.Host, c Change) error {
	if len(c.Remove) == 0 {
		return nil
	}
	unused, err := a.unused(ctx, h, c.Remove)
	if err != nil {
		return err
	}
	del := a.line("del", "--rdepends")
	if c.Purge {
		del = append(del, "--purge")
	}
	return tool{}.run(ctx, h, with(a.line("add", "--"), unused), with(append(del, "--"), c.Remove))
}

func (a apk) Change(ctx context.Context, h module.Host, c Change) error {
	names, err := a.words(c.Install)
	if err != nil {
		return err
	}
	update, add := a.line("update"), with(a.line("add", "--upgrade", "--"), names)
	if err := (tool{}).run(ctx, h, c.lists(update)); err != nil {
		return err
	}
	if err := (tool{}).attempt(ctx, h, add, update, add); err != nil {
		return err
	}
	return a.remove(ctx, h, c)
}

// words are packages with conditions: "=" wants a version with its release, and "~" any release of
// one. The newest version is no condition, since apk would keep it for ever.
func (apk) words(specs []Spec) ([]string, error) {
	var all []string
	for _, s := range specs {
		switch {
		case strings.HasSuffix(s.Version, "*"):
			return nil, fmt.Errorf("the version of %s is %q, and apk knows no \"*\" in versions: name the whole one", s.Name, s.Version)
		case s.File != "":
			all = append(all, s.File)
		case s.Version == "" || s.Newest:
			all = append(all, s.Name)
		case release.MatchString(s.Version):
			all = append(all, s.Name+"="+s.Version)
		default:
			all = append(all, s.Name+"~"+s.Version)
		}
	}
	return all, nil
}

// line waits for another package manager, in seconds.
func (apk) line(args ...string) []string {
	return append([]string{"apk", "--no-progress", "--wait", LockSeconds}, args...)
}

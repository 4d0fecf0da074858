package packages

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// pacman is that of Arch Linux and its derivatives.
type pacman struct{}

// Installed asks pacman, which ends with 1 if one of the names is unknown.
func (pacman) Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"pacman", "-Q", "--"}, names...), Env: plain()})
	installed := map[string][]string{}
	for name, version := range parsePairs(out.Stdout) {
		installed[name] = []string{version}
	}
	if module.Exited(err, 1) && len(installed) < len(names) {
		err = nil
	}
	return installed, err
}

func (pacman) All(ctx context.Context, h module.Host) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"pacman", "-Q"}, Env: plain()})
	return parsePairs(out.Stdout), err
}

// Newest lists updates, and ends with 1 if there are none.
func (pacman) Newest(ctx context.Context, h module.Host, names []string, _ Change) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"pacman", "-Qu", "--"}, names...), Env: plain()})
	newest := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		if fields := strings.Fields(line); len(fields) >= 4 && fields[2] == "->" {
			newest[fields[0]] = fields[3]
		}
	}
	if module.Exited(err, 1) {
		err = nil
	}
	return newest, err
}

// Held reads which packages an upgrade ignores.
func (pacman) Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"pacman-conf", "IgnorePkg"}, Env: plain()})
	return among(names, strings.Fields(out.Stdout)), err
}

// Hold is an error: the list is an argument of /etc/pacman.conf, which belongs to others.
func (pacman) Hold(_ context.Context, _ module.Host, name string, _ bool) error {
	return fmt.Errorf("pacman holds packages by IgnorePkg in /etc/pacman.conf: change that for %s with a task line_in_file, without held", name)
}

// Describe reads the package in a file.
func (pacman) Describe(ctx context.Context, h module.Host, file string) (Spec, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"pacman", "-Qp", "--", file}, Env: plain()})
	return one(out.Stdout, file, err)
}

func (pacman) Options() []Option { return nil }

// Going has pacman print the names of what it would remove.
func (pacman) Going(ctx context.Context, h module.Host, names []string) ([]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"pacman", "-Rc", "--print", "--print-format", "%n", "--"}, names...), Env: plain()})
	return strings.Fields(out.Stdout), err
}

func (pacman) Change(ctx context.Context, h module.Host, c Change) error {
	line := func(args ...string) []string {
		return append([]string{"pacman", "--noconfirm", "--noprogressbar"}, args...)
	}
	var files, names []Spec
	for _, s := range c.Install {
		if s.File != "" {
			files = append(files, s)
		} else {
			names = append(names, s)
		}
	}
	t, lists, install := tool{}, line("-Sy"), with(line("-S", "--"), words(names, "="))
	if err := t.run(ctx, h, c.lists(lists), with(line("-U", "--"), words(files, "="))); err != nil {
		return err
	}
	if err := t.attempt(ctx, h, install, lists, install); err != nil {
		return err
	}
	verb := "-Rc"
	if c.Purge {
		verb = "-Rcn" // with the files that it keeps of changed configuration
	}
	return t.run(ctx, h, with(line(verb, "--"), c.Remove))
}

// plain makes pacman speak English.
func plain() map[string]string { return map[string]string{"LC_ALL": "C"} }

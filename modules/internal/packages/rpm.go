package packages

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/module"
)

// rpmFormat is a line for each installed package: its name, and its version with
// epoch and release.
const rpmFormat = `%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\n`

// rpm is what the managers of rpm's packages share.
type rpm struct{}

// Installed asks rpm, which ends with the number of unknown names.
func (rpm) Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"rpm", "-q", "--qf", rpmFormat, "--"}, names...)})
	installed := parseRPM(out.Stdout)
	if err != nil && !(module.Exited(err, len(names)-len(installed)) && strings.Count(out.Stdout, " is not installed\n") > 0) {
		return nil, err
	}
	return installed, nil
}

func (rpm) All(ctx context.Context, h module.Host) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"rpm", "-qa", "--qf", rpmFormat}})
	return first(parseRPM(out.Stdout)), err
}

// Describe reads a package for rpm. Who may install it is for the manager to check.
func (rpm) Describe(ctx context.Context, h module.Host, file string) (Spec, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"rpm", "-qp", "--nosignature", "--qf", rpmFormat, "--", file}})
	for name, notations := range parseRPM(out.Stdout) {
		return Spec{Name: name, Version: notations[0], File: file}, err
	}
	return one("", file, err)
}

// parseRPM parses lines of rpmFormat, and ignores "package x is not installed".
// Of several versions, as kernels have, the last one counts: rpm lists the newest
// last.
func parseRPM(text string) map[string][]string {
	installed := map[string][]string{}
	for line := range strings.Lines(text) {
		name, evr, found := strings.Cut(strings.TrimSpace(line), " ")
		epoch, rest, hasEpoch := strings.Cut(evr, ":")
		if !found || !hasEpoch || strings.Contains(evr, " ") {
			continue
		}
		version := rest[:max(strings.LastIndex(rest, "-"), 0)]
		installed[name] = []string{rest, evr, version}
		if epoch != "0" {
			installed[name] = []string{evr, rest, version}
		}
	}
	return installed
}

// neededBy matches what rpm prints for each installed package that needs one that would go.
var neededBy = regexp.MustCompile(`(?m) is needed by \(installed\) (\S+)$`)

// Going asks rpm which packages need those that go, and which need these in turn.
func (rpm) Going(ctx context.Context, h module.Host, names []string) ([]string, error) {
	going := slices.Clone(names)
	for {
		argv := append([]string{"rpm", "-e", "--test", "--allmatches", "--"}, going...)
		_, err := h.Run(ctx, module.Command{Argv: argv, Env: map[string]string{"LC_ALL": "C"}})
		exit, failed := errors.AsType[*module.ExitError](err)
		if !failed {
			return going, err
		}
		var ids []string
		for _, match := range neededBy.FindAllStringSubmatch(exit.Stderr, -1) {
			ids = append(ids, match[1])
		}
		more, err := namesOf(ctx, h, ids)
		if err != nil {
			return nil, err
		}
		before := len(going)
		for _, name := range more {
			if !slices.Contains(going, name) {
				going = append(going, name)
			}
		}
		if len(going) == before {
			return nil, fmt.Errorf("simulate the removal of %s: %w", strings.Join(names, ", "), exit)
		}
	}
}

// namesOf returns the names of packages by name, version, release and architecture.
func namesOf(ctx context.Context, h module.Host, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"rpm", "-q", "--qf", `%{NAME}\n`, "--"}, ids...)})
	return strings.Fields(out.Stdout), err
}

// rehold changes held packages: these managers otherwise refuse to change them. An
// interrupt in between leaves them without their holds.
func rehold(ctx context.Context, h module.Host, m Manager, c Change, change func() error) error {
	for _, name := range c.Held {
		if err := m.Hold(ctx, h, name, false); err != nil {
			return err
		}
	}
	if err := change(); err != nil {
		return err
	}
	return holdAgain(ctx, h, m, c)
}

// holdAgain restores the holds of changed packages.
func holdAgain(ctx context.Context, h module.Host, m Manager, c Change) error {
	for _, s := range c.Install {
		if !slices.Contains(c.Held, s.Name) {
			continue
		}
		if err := m.Hold(ctx, h, s.Name, true); err != nil {
			return err
		}
	}
	return nil
}

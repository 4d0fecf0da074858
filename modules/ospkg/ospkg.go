// Package ospkg is the module "package": packages of the host's distribution,
// with apt on Debian and what descends from it.
package ospkg

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// Task is packages that are installed, or not.
//
// Packages that kinit installs are marked and stay on cleanup unless everything
// is purged. What they need in turn is left to apt.
//
// Outputs:
//   - versions: the installed version by package name
//
// Errors:
//   - apt has no such package or version, or fails; its last lines are told
//   - another package manager holds the lock for more than 300 s
//   - the host has no apt: use a command task for its package manager
type Task struct {
	// Names are the packages; "name=version" asks for one version. Virtual
	// packages and architectures are not known.
	Names []string `hcl:"names"`
	// State is "present", "absent", or "latest": as new as the host's package
	// lists know. Default "present".
	State string `hcl:"state,optional"`
	// UpdateCache refreshes the package lists before an install. Otherwise they
	// are refreshed only when the install does not work with those that are there.
	UpdateCache bool `hcl:"update_cache,optional"`
}

// Kind is the module "package".
func Kind() module.Kind {
	return module.Kind{Name: "package", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if len(t.Names) == 0 {
		return errors.New("names is empty, want at least one package")
	}
	// The names that Debian's policy allows, section 5.6.1.
	valid := regexp.MustCompile(`^[a-z0-9][a-z0-9.+-]*(=[A-Za-z0-9.+:~-]+)?$`)
	for _, name := range t.Names {
		if !valid.MatchString(name) {
			return fmt.Errorf("names has %q, want a package name such as \"curl\" or \"curl=7.88.1-10\"", name)
		}
	}
	return fileattr.CheckState(t.State, "present", "absent", "latest")
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
	if text := t.missing(s).text(); text != "" {
		return []module.Step{module.NewStep(text, t.install)}, nil
	}
	return nil, nil
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
		versions[name] = cty.StringVal(version)
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

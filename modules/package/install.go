package ospkg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/packages"
)

// changes describes an install.
type changes struct {
	specs []packages.Spec // for the package manager
	fresh []string        // packages that are not installed at all
	texts []string
}

// missing compares the installed packages with the requested ones.
func (t *Task) missing(s state) changes {
	var c changes
	for _, want := range t.specs() {
		have, installed := s.installed[want.Name]
		newest := s.newest[want.Name]
		switch {
		case !installed:
			c.fresh = append(c.fresh, want.Name)
			text := strings.TrimSpace("install " + want.Name + " " + want.Version)
			if want.File != "" {
				text += " from " + want.File
			}
			c.texts = append(c.texts, text)
		case !want.Fits(have):
			c.texts = append(c.texts, fmt.Sprintf("change %s %s to %s", want.Name, have[0], want.Version))
		case want.Version == "" && newest != "" && !slices.Contains(have, newest) && !s.held[want.Name]:
			want.Version, want.Newest = newest, true
			c.texts = append(c.texts, fmt.Sprintf("change %s %s to %s", want.Name, have[0], newest))
		default:
			continue
		}
		c.specs = append(c.specs, want)
	}
	return c
}

// install marks missing packages and installs them. It reads the host again: another
// task may have installed a package since the plan.
func (t *Task) install(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	c := t.missing(s)
	if len(c.specs) == 0 {
		return nil
	}
	for _, pkg := range c.fresh {
		if err := h.Own(ctx, module.Mark{Kind: "package", ID: pkg, Keep: true}); err != nil {
			return err
		}
	}
	refresh := t.UpdateCache
	if t.ListAge != "" {
		if refresh, err = t.old(ctx, h); err != nil {
			return err
		}
	}
	names := lists.Map(c.specs, func(spec packages.Spec) string { return spec.Name })
	change := t.options()
	change.Refresh, change.Install, change.Held = refresh, c.specs, s.heldOf(names)
	if err := s.manager.Change(ctx, h, change); err != nil || !refresh || t.ListAge == "" {
		return err
	}
	return note(ctx, h)
}

func (s state) heldOf(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !s.held[name] })
}

// planHold plans holds. A package that is already held is not the cluster's to release.
func (t *Task) planHold(s state) []module.Step {
	if t.Held == nil {
		return nil
	}
	names := slices.DeleteFunc(t.packages(), func(name string) bool { return s.held[name] == *t.Held })
	if len(names) == 0 {
		return nil
	}
	verb := map[bool]string{true: "hold", false: "free"}[*t.Held]
	return module.OneStep(verb+" "+strings.Join(names, ", "), t.hold)
}

func (t *Task) hold(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	for _, name := range t.packages() {
		if s.held[name] == *t.Held {
			continue
		}
		if *t.Held {
			if err := h.Own(ctx, module.Mark{Kind: packages.MarkOfHold, ID: name}); err != nil {
				return err
			}
		}
		if err := s.manager.Hold(ctx, h, name, *t.Held); err != nil {
			return err
		}
		if *t.Held {
			continue
		}
		if err := ownership.Release(ctx, h, name, packages.MarkOfHold); err != nil {
			return err
		}
	}
	return nil
}

// planAbsent plans to remove the installed packages that may be removed.
func (t *Task) planAbsent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	var names []string
	for _, pkg := range t.packages() {
		if _, installed := s.installed[pkg]; !installed {
			continue
		}
		if err := ownership.Free(ctx, h, pkg, "remove the package yourself if nothing needs it", "package"); err != nil {
			return nil, fmt.Errorf("package %w", err)
		}
		names = append(names, pkg)
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err := t.alone(ctx, h, s.manager, names); err != nil {
		return nil, err
	}
	return module.OneStep("remove "+strings.Join(names, ", "), t.remove), nil
}

// alone returns an error if a removal would also remove packages that the task does not list.
func (t *Task) alone(ctx context.Context, h module.Host, manager packages.Manager, names []string) error {
	others, err := beside(ctx, h, manager, names, t.packages())
	if err != nil || len(others) == 0 {
		return err
	}
	return fmt.Errorf("%s would be removed with %s, and names does not list them: add them to names if they are to be removed too, "+
		"or leave %s installed", strings.Join(others, ", "), strings.Join(names, ", "), strings.Join(names, ", "))
}

// beside simulates the removal of packages, and returns the packages that it would remove and that are not among those
// that may go.
func beside(ctx context.Context, h module.Host, manager packages.Manager, names, may []string) ([]string, error) {
	going, err := manager.Going(ctx, h, names)
	if err != nil {
		return nil, fmt.Errorf("simulate the removal of %s: %w", strings.Join(names, ", "), err)
	}
	others := slices.DeleteFunc(going, func(name string) bool { return slices.Contains(may, name) })
	slices.Sort(others)
	return slices.Compact(others), nil
}

// remove removes the packages that are still installed. A hold is removed with its package.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(t.packages(), func(name string) bool { return len(s.installed[name]) == 0 })
	if len(names) > 0 {
		if err := t.alone(ctx, h, s.manager, names); err != nil {
			return err
		}
	}
	for _, name := range s.heldOf(names) {
		if err := s.manager.Hold(ctx, h, name, false); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		if err := s.manager.Change(ctx, h, packages.Change{Remove: names}); err != nil {
			return err
		}
	}
	for _, pkg := range t.packages() {
		if err := ownership.Release(ctx, h, pkg, "package", packages.MarkOfHold); err != nil {
			return err
		}
	}
	return nil
}

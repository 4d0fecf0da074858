package ospkg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/cmdtext"
)

// lockSeconds is how long apt waits for another package manager to finish; the
// first upgrade of a freshly booted system takes minutes.
const lockSeconds = "300"

// changes is what an install would do.
type changes struct {
	names []string // to be given to apt
	fresh []string // packages that are not there at all
	texts []string
}

func (c changes) text() string { return strings.Join(c.texts, ", ") }

// missing compares what is installed with what is asked for.
func (t *Task) missing(s state) changes {
	var c changes
	for _, name := range t.Names {
		pkg, version := split(name)
		have, installed := s.installed[pkg]
		want := version
		if want == "" {
			want = s.candidate[pkg]
		}
		switch {
		case !installed:
			c.fresh = append(c.fresh, pkg)
			c.texts = append(c.texts, strings.TrimSpace("install "+pkg+" "+version))
		case want != "" && want != have:
			c.texts = append(c.texts, fmt.Sprintf("change %s %s to %s", pkg, have, want))
		default:
			continue
		}
		c.names = append(c.names, name)
	}
	return c
}

// install marks what is not there and installs. It reads the host again: another
// task may have installed a package since the plan.
func (t *Task) install(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	c := t.missing(s)
	if len(c.names) == 0 {
		return nil
	}
	for _, pkg := range c.fresh {
		if err := h.Own(ctx, module.Mark{Kind: "package", ID: pkg, Keep: true}); err != nil {
			return err
		}
	}
	if t.UpdateCache {
		if err := aptGet(ctx, h, "update"); err != nil {
			return err
		}
	}
	return t.tryInstall(ctx, h, c.names)
}

// tryInstall installs, and when that fails puts right what usually is the
// matter: old package lists, or an install that was interrupted.
func (t *Task) tryInstall(ctx context.Context, h module.Host, names []string) error {
	args := append([]string{"install", "--no-install-recommends", "--allow-downgrades", "--allow-change-held-packages", "--"}, names...)
	err := aptGet(ctx, h, args...)
	if exit := (*module.ExitError)(nil); !errors.As(err, &exit) {
		return err
	}
	if _, err := run(ctx, h, "dpkg", "--configure", "-a"); err != nil {
		return err
	}
	if err := aptGet(ctx, h, "update"); err != nil {
		return err
	}
	return aptGet(ctx, h, args...)
}

// planAbsent plans to remove what is installed and may be removed.
func (t *Task) planAbsent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	var names []string
	for _, pkg := range t.packages() {
		if _, installed := s.installed[pkg]; !installed {
			continue
		}
		if err := claim.Free(ctx, h, pkg, "remove the package yourself if nothing needs it", "package"); err != nil {
			return nil, fmt.Errorf("package %w", err)
		}
		names = append(names, pkg)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return []module.Step{module.NewStep("remove "+strings.Join(names, ", "), func(ctx context.Context, h module.Host) error {
		return t.remove(ctx, h, names)
	})}, nil
}

func (t *Task) remove(ctx context.Context, h module.Host, names []string) error {
	if err := aptGet(ctx, h, append([]string{"remove", "--"}, names...)...); err != nil {
		return err
	}
	for _, pkg := range names {
		if err := claim.Release(ctx, h, pkg, "package"); err != nil {
			return err
		}
	}
	return nil
}

// aptGet runs apt-get so that it never asks: configuration files that were
// changed stay.
func aptGet(ctx context.Context, h module.Host, args ...string) error {
	_, err := run(ctx, h, append([]string{"apt-get", "-y", "-q",
		"-o", "DPkg::Lock::Timeout=" + lockSeconds,
		"-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"}, args...)...)
	return err
}

func run(ctx context.Context, h module.Host, argv ...string) (module.Output, error) {
	return h.Run(ctx, module.Command{
		Argv: argv,
		Env:  map[string]string{"DEBIAN_FRONTEND": "noninteractive"},
		Line: cmdtext.Progress(h),
	})
}

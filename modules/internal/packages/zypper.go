package packages

import (
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
)

// zypper is rpm and zypper, of SUSE and openSUSE.
type zypper struct{}

func (zypper) Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error) {
	return rpmInstalled(ctx, h, names)
}

func (zypper) All(ctx context.Context, h module.Host) (map[string]string, error) {
	return rpmAll(ctx, h)
}

func (zypper) Describe(ctx context.Context, h module.Host, file string) (Spec, error) {
	return rpmDescribe(ctx, h, file)
}

func (zypper) Options() []Option { return []Option{Recommends} }

// stream is the part of zypper's output with --xmlout that is in use.
type stream struct {
	Updates []struct {
		Kind    string `xml:"kind,attr"`
		Name    string `xml:"name,attr"`
		Edition string `xml:"edition,attr"`
	} `xml:"update-status>update-list>update"`
	Locks []struct {
		Name string `xml:"name"`
		Type string `xml:"type"`
	} `xml:"locks>lock"`
}

func (z zypper) ask(ctx context.Context, h module.Host, command string) (stream, error) {
	var s stream
	out, err := h.Run(ctx, module.Command{Argv: []string{"zypper", "--non-interactive", "--xmlout", command}, Env: z.env()})
	if err != nil {
		return s, err
	}
	if err := xml.Unmarshal([]byte(out.Stdout), &s); err != nil {
		return s, fmt.Errorf("read what zypper %s prints: %w", command, err)
	}
	return s, nil
}

// Newest lists updates; zypper omits those of held packages.
func (z zypper) Newest(ctx context.Context, h module.Host, names []string, _ Change) (map[string]string, error) {
	s, err := z.ask(ctx, h, "list-updates")
	newest := map[string]string{}
	for _, one := range s.Updates {
		if one.Kind == "package" && slices.Contains(names, one.Name) {
			newest[one.Name] = one.Edition
		}
	}
	return newest, err
}

func (z zypper) Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error) {
	s, err := z.ask(ctx, h, "locks")
	held := map[string]bool{}
	for _, one := range s.Locks {
		if one.Type == "package" && slices.Contains(names, one.Name) {
			held[one.Name] = true
		}
	}
	return held, err
}

func (z zypper) Hold(ctx context.Context, h module.Host, name string, hold bool) error {
	verb := "removelock"
	if hold {
		verb = "addlock"
	}
	return z.run(ctx, h, verb, name)
}

func (z zypper) Change(ctx context.Context, h module.Host, c Change) error {
	for _, s := range c.Install {
		if strings.HasSuffix(s.Version, "*") {
			return fmt.Errorf("the version of %s is %q, and zypper knows no \"*\" in versions: name the whole one", s.Name, s.Version)
		}
	}
	if c.Refresh {
		if err := z.run(ctx, h, "refresh"); err != nil {
			return err
		}
	}
	return rehold(ctx, h, z, c, func() error { return z.change(ctx, h, c) })
}

func (z zypper) change(ctx context.Context, h module.Host, c Change) error {
	if len(c.Install) > 0 {
		if err := z.install(ctx, h, c); err != nil {
			return err
		}
	}
	if len(c.Remove) == 0 {
		return nil
	}
	return z.run(ctx, h, append([]string{"remove", "--"}, c.Remove...)...)
}

// install installs, and if that fails tries again with fresh package lists.
func (z zypper) install(ctx context.Context, h module.Host, c Change) error {
	args := []string{"install", "--no-recommends"}
	if c.Recommends {
		args = []string{"install", "--recommends"}
	}
	args = append(append(args, "--oldpackage", "--"), words(c.Install, "=")...)
	err := z.run(ctx, h, args...)
	if !module.Exited(err) {
		return err
	}
	if err := z.run(ctx, h, "refresh"); err != nil {
		return err
	}
	return z.run(ctx, h, args...)
}

// The exit codes of success; man 8 zypper, EXIT CODES.
const (
	rebootNeeded  = 102
	restartNeeded = 103 // of zypper, after an update of itself
)

func (z zypper) run(ctx context.Context, h module.Host, args ...string) error {
	_, err := run(ctx, h, z.env(), append([]string{"zypper", "--non-interactive"}, args...)...)
	if module.Exited(err, rebootNeeded, restartNeeded) {
		return nil
	}
	return err
}

// env makes zypper wait for another package manager, in seconds.
func (zypper) env() map[string]string { return map[string]string{"ZYPP_LOCK_TIMEOUT": lockSeconds} }

var _ Manager = zypper{}

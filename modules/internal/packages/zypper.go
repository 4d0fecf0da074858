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
type zypper struct{ rpm }

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
	out, err := h.Run(ctx, module.Command{Argv: zypperLine("--xmlout", command), Env: z.tool().env})
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
	verb := map[bool]string{true: "addlock", false: "removelock"}[hold]
	return z.tool().run(ctx, h, zypperLine(verb, name))
}

func (z zypper) Change(ctx context.Context, h module.Host, c Change) error {
	for _, s := range c.Install {
		if strings.HasSuffix(s.Version, "*") {
			return fmt.Errorf("the version of %s is %q, and zypper knows no \"*\" in versions: name the whole one", s.Name, s.Version)
		}
	}
	recommends := map[bool]string{true: "--recommends", false: "--no-recommends"}[c.Recommends]
	refresh, t := zypperLine("refresh"), z.tool()
	install := with(zypperLine("install", recommends, "--oldpackage", "--"), words(c.Install, "="))
	if err := t.run(ctx, h, c.lists(refresh)); err != nil {
		return err
	}
	return rehold(ctx, h, z, c, func() error {
		if err := t.attempt(ctx, h, install, refresh, install); err != nil {
			return err
		}
		return t.run(ctx, h, with(zypperLine("remove", "--no-clean-deps", "--"), c.Remove))
	})
}

// The exit codes of success; man 8 zypper, EXIT CODES.
const (
	rebootNeeded  = 102
	restartNeeded = 103 // of zypper, after an update of itself
)

// tool makes zypper wait for another package manager, in seconds.
func (zypper) tool() tool {
	return tool{env: map[string]string{"ZYPP_LOCK_TIMEOUT": LockSeconds}, fine: []int{rebootNeeded, restartNeeded}}
}

func zypperLine(args ...string) []string {
	return append([]string{"zypper", "--non-interactive"}, args...)
}

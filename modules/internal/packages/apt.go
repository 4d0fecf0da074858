package packages

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
)

// apt is dpkg and apt, of Debian and its derivatives.
type apt struct{}

// lockSeconds is how long apt waits for another package manager to finish; the
// first upgrade of a freshly booted system takes minutes.
const lockSeconds = "300"

// Installed asks dpkg, which ends with 1 if one of the names is unknown.
func (apt) Installed(ctx context.Context, h module.Host, names []string) (map[string][]string, error) {
	argv := append([]string{"dpkg-query", "-W", "-f", dpkgFormat}, names...)
	out, err := h.Run(ctx, module.Command{Argv: argv})
	if err != nil && !module.Exited(err, 1) {
		return nil, err
	}
	return parseDpkg(out.Stdout), nil
}

// dpkgFormat is a line for each package that dpkg knows.
const dpkgFormat = `${Package}\t${db:Status-Abbrev}\t${Version}\n`

func (apt) All(ctx context.Context, h module.Host) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"dpkg-query", "-W", "-f", dpkgFormat}})
	return first(parseDpkg(out.Stdout)), err
}

// Describe reads the fields of a package for dpkg.
func (apt) Describe(ctx context.Context, h module.Host, file string) (Spec, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"dpkg-deb", "--show", "--showformat=${Package} ${Version}\n", "--", file}})
	return one(out.Stdout, file, err)
}

func (apt) Options() []Option { return []Option{Release, Recommends} }

// parseDpkg parses "name, status, version" lines. The second letter of the status is
// the current state: i for installed.
func parseDpkg(text string) map[string][]string {
	installed := map[string][]string{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) == 3 && len(fields[1]) >= 2 && fields[1][1] == 'i' {
			installed[fields[0]] = []string{fields[2]}
		}
	}
	return installed
}

// Newest asks apt, which follows the priorities in its preferences.
func (apt) Newest(ctx context.Context, h module.Host, names []string, options Change) (map[string]string, error) {
	argv := []string{"apt-cache"}
	if options.Release != "" {
		argv = append(argv, "-o", "APT::Default-Release="+options.Release) // as apt-get's --target-release
	}
	out, err := h.Run(ctx, module.Command{Argv: append(append(argv, "policy"), names...)})
	return parsePolicy(out.Stdout), err
}

// parsePolicy parses the output of apt-cache policy: a line with each name, and
// indented below it the candidate. apt has no other format of it.
func parsePolicy(text string) map[string]string {
	candidates, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, " ") {
			name = strings.TrimSuffix(line, ":")
		}
		version, found := strings.CutPrefix(line, "  Candidate: ")
		if found && version != "(none)" {
			candidates[name] = version
		}
	}
	return candidates
}

func (apt) Held(ctx context.Context, h module.Host, names []string) (map[string]bool, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"apt-mark", "showhold"}, names...)})
	held := map[string]bool{}
	for _, name := range strings.Fields(out.Stdout) {
		held[name] = true
	}
	return held, err
}

func (apt) Hold(ctx context.Context, h module.Host, name string, hold bool) error {
	verb := "unhold"
	if hold {
		verb = "hold"
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{"apt-mark", verb, name}})
	return err
}

func (a apt) Change(ctx context.Context, h module.Host, c Change) error {
	if c.Refresh {
		if err := a.get(ctx, h, "update"); err != nil {
			return err
		}
	}
	if len(c.Install) > 0 {
		if err := a.install(ctx, h, c); err != nil {
			return err
		}
		if err := holdAgain(ctx, h, a, c); err != nil { // apt releases the hold of a package that it changes
			return err
		}
	}
	if len(c.Remove) == 0 {
		return nil
	}
	verb := []string{"remove"}
	if c.Purge {
		verb = []string{"purge"}
	}
	if slices.ContainsFunc(c.Remove, func(name string) bool { return slices.Contains(c.Held, name) }) {
		verb = append(verb, "--allow-change-held-packages")
	}
	return a.get(ctx, h, append(append(verb, "--"), c.Remove...)...)
}

// install installs, and if that fails, corrects the usual causes: old
// package lists, or an interrupted install.
func (a apt) install(ctx context.Context, h module.Host, c Change) error {
	args := []string{"install", "--no-install-recommends"}
	if c.Recommends {
		args = []string{"install", "--install-recommends"}
	}
	if c.Release != "" {
		args = append(args, "--target-release="+c.Release)
	}
	args = append(append(args, "--allow-downgrades", "--allow-change-held-packages", "--"), words(c.Install, "=")...)
	err := a.get(ctx, h, args...)
	if !module.Exited(err) {
		return err
	}
	if _, err := run(ctx, h, a.env(), "dpkg", "--configure", "-a"); err != nil {
		return err
	}
	if err := a.get(ctx, h, "update"); err != nil {
		return err
	}
	return a.get(ctx, h, args...)
}

func (apt) env() map[string]string { return map[string]string{"DEBIAN_FRONTEND": "noninteractive"} }

// get runs apt-get without questions: changed configuration files
// remain.
func (a apt) get(ctx context.Context, h module.Host, args ...string) error {
	_, err := run(ctx, h, a.env(), append([]string{"apt-get", "-y", "-q",
		"-o", "DPkg::Lock::Timeout=" + lockSeconds,
		"-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"}, args...)...)
	return err
}

var _ Manager = apt{}

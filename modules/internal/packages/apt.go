package packages

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/module"
)

// apt is dpkg and apt, of Debian and its derivatives.
type apt struct{}

// LockSeconds is how long apt waits for another package manager to finish; the
// first upgrade of a freshly booted system takes minutes. The others wait as long.
const LockSeconds = "300"

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
	return among(names, strings.Fields(out.Stdout)), err
}

func (apt) Hold(ctx context.Context, h module.Host, name string, hold bool) error {
	return module.Exec(ctx, h, "apt-mark", map[bool]string{true: "hold", false: "unhold"}[hold], name)
}

// Going asks apt, which prints "Remv name [version]" for each package.
func (apt) Going(ctx context.Context, h module.Host, names []string) ([]string, error) {
	argv := append(aptGet("--simulate", "remove", noAutoRemove, "--allow-change-held-packages", "--"), names...)
	out, err := h.Run(ctx, module.Command{Argv: argv, Env: map[string]string{"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}})
	var going []string
	for line := range strings.Lines(out.Stdout) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Remv" {
			going = append(going, fields[1])
		}
	}
	return going, err
}

// noAutoRemove keeps dependencies that nothing else needs, also where apt is configured to remove them.
const noAutoRemove = "--no-auto-remove"

func (a apt) Change(ctx context.Context, h module.Host, c Change) error {
	verb := []string{"install", map[bool]string{true: "--install-recommends", false: "--no-install-recommends"}[c.Recommends]}
	if c.Release != "" {
		verb = append(verb, "--target-release="+c.Release)
	}
	install := with(aptGet(append(verb, "--allow-downgrades", "--allow-change-held-packages", "--")...), words(c.Install, "="))
	update, t := aptGet("update"), tool{env: map[string]string{"DEBIAN_FRONTEND": "noninteractive"}}
	if err := t.run(ctx, h, c.lists(update)); err != nil {
		return err
	}
	// Besides old package lists, an interrupted install is a usual cause.
	if err := t.attempt(ctx, h, install, []string{"dpkg", "--configure", "-a"}, update, install); err != nil {
		return err
	}
	if err := holdAgain(ctx, h, a, c); err != nil { // apt releases the hold of a package that it changes
		return err
	}
	verb = []string{map[bool]string{true: "purge", false: "remove"}[c.Purge], noAutoRemove}
	if slices.ContainsFunc(c.Remove, func(name string) bool { return slices.Contains(c.Held, name) }) {
		verb = append(verb, "--allow-change-held-packages")
	}
	return t.run(ctx, h, with(aptGet(append(verb, "--")...), c.Remove))
}

// aptGet is a line of apt-get without questions: changed configuration files remain.
func aptGet(args ...string) []string {
	return append([]string{"apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=" + LockSeconds,
		"-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold"}, args...)
}

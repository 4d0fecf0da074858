package ospkg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
)

// notFound is the code with which a shell answers for a program that is not
// there.
const notFound = 127

// state is what dpkg and apt know about the names.
type state struct {
	installed map[string]string // version by name
	candidate map[string]string // version by name; only for latest
}

// split takes a version off a name.
func split(name string) (pkg, version string) {
	pkg, version, _ = strings.Cut(name, "=")
	return pkg, version
}

func (t *Task) packages() []string {
	var all []string
	for _, name := range t.Names {
		pkg, _ := split(name)
		all = append(all, pkg)
	}
	return all
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	installed, err := readInstalled(ctx, h, t.packages())
	if err != nil || t.State != "latest" {
		return state{installed: installed}, err
	}
	candidate, err := readCandidates(ctx, h, t.packages())
	return state{installed, candidate}, err
}

// readInstalled asks dpkg, which ends with 1 when it does not know one of the
// names.
func readInstalled(ctx context.Context, h module.Host, names []string) (map[string]string, error) {
	argv := append([]string{"dpkg-query", "-W", "-f", `${Package}\t${db:Status-Abbrev}\t${Version}\n`}, names...)
	out, err := h.Run(ctx, module.Command{Argv: argv})
	exit := (*module.ExitError)(nil)
	if errors.As(err, &exit) && exit.Code == notFound {
		return nil, otherSystem(ctx, h)
	}
	if err != nil && (exit == nil || exit.Code != 1) {
		return nil, err
	}
	return parseInstalled(out.Stdout), nil
}

// parseInstalled reads "name, status, version" lines. The second letter of the
// status is what is: i for installed.
func parseInstalled(text string) map[string]string {
	installed := map[string]string{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) == 3 && len(fields[1]) >= 2 && fields[1][1] == 'i' {
			installed[fields[0]] = fields[2]
		}
	}
	return installed
}

// otherSystem is the error of a host without dpkg.
func otherSystem(ctx context.Context, h module.Host) error {
	name := "this host has another system"
	text, err := content.ReadAll(ctx, h, "/etc/os-release")
	if err != nil && ctx.Err() != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); found {
			name = "this host has " + strings.Trim(value, `"'`)
		}
	}
	return fmt.Errorf("packages are installed with apt, on Debian and Ubuntu, and %s: use a command task for its package manager", name)
}

func readCandidates(ctx context.Context, h module.Host, names []string) (map[string]string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"apt-cache", "policy"}, names...)})
	return parseCandidates(out.Stdout), err
}

// parseCandidates reads what apt-cache policy prints: a line with each name, and
// indented below it what could be installed. apt has no other form of it.
func parseCandidates(text string) map[string]string {
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

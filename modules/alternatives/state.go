package alternatives

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// state is what a name stands for.
type state struct {
	auto       bool   // by priority
	value      string // the program
	link       string // the path of the name, if the program prints it
	priorities map[string]int
}

func (s state) paths() []string { return slices.Sorted(maps.Keys(s.priorities)) }

// unknown is the exit code for a name without alternatives.
const unknown = 2

func read(ctx context.Context, h module.Host, name string) (state, error) {
	out, err := update(ctx, h, "--display", name)
	if module.Exited(err, unknown) {
		return state{}, nil
	}
	return parse(out.Stdout, name), err
}

func update(ctx context.Context, h module.Host, args ...string) (module.Output, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"update-alternatives"}, args...), Env: map[string]string{"LC_ALL": "C"}})
	if module.Exited(err, 127) {
		err = fmt.Errorf("update-alternatives is not installed, it is in the package dpkg, chkconfig or alternatives: %w", err)
	}
	return out, err
}

// parse reads what --display prints: the mode, the links, and a line for each alternative. Those
// of the two families differ in the words of the mode.
func parse(text, name string) state {
	s := state{priorities: map[string]int{}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		path, priority, found := strings.Cut(line, " - ")
		switch {
		case line == name+" - auto mode" || line == name+" - status is auto.":
			s.auto = true
		case strings.HasPrefix(trimmed, "link currently points to "):
			s.value = strings.TrimPrefix(trimmed, "link currently points to ")
		case strings.HasPrefix(trimmed, "link "+name+" is "):
			s.link = strings.TrimPrefix(trimmed, "link "+name+" is ")
		case found && strings.HasPrefix(path, "/"):
			// Behind the number that of Red Hat has the family.
			first, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(priority, "family ", ""), "priority "), " ")
			s.priorities[path], _ = strconv.Atoi(first)
		}
	}
	return s
}

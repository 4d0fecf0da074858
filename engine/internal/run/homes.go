package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// askHome prints the entry of a user, or of its own user, in the host's database of users.
const askHome = `getent passwd "${1:-$(id -u)}"`

// atHome replaces "~" and "~user" at the beginning of a task's paths by the home folders that the
// host has for these users. Then the arguments are checked again: two texts may be one path.
func atHome(ctx context.Context, h module.Host, task module.Task) error {
	known, paths := map[string]string{}, module.HomePaths(task)
	for _, path := range paths {
		if known[path.User] == "" {
			home, err := homeOf(ctx, h, path.User)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", path.Argument, path.Text(), err)
			}
			known[path.User] = home
		}
		path.Put(known[path.User])
	}
	if len(paths) == 0 {
		return nil
	}
	return module.Check(task)
}

// homeOf returns the home folder of a user, or of the user that commands run as.
func homeOf(ctx context.Context, h module.Host, user string) (string, error) {
	if h.OS() != module.Linux {
		return "", errors.New("a path of a Windows host cannot begin with ~, want one such as C:/Users/name")
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", askHome, "sh", user}, Name: "look up a home folder"})
	if module.Exited(err, 2) { // man 1 getent, EXIT STATUS: the key is not there
		return "", fmt.Errorf("%s has no user %s", h.Name(), user)
	}
	if err != nil {
		return "", err
	}
	fields := strings.Split(strings.TrimSuffix(out.Stdout, "\n"), ":")
	// man 5 passwd: the sixth of seven fields is the home folder.
	if len(fields) != 7 || !strings.HasPrefix(fields[5], "/") {
		return "", fmt.Errorf("%s has no home folder for it: %q", h.Name(), out.Stdout)
	}
	return fields[5], nil
}

// Package podman runs podman's command line on a host and parses its JSON output.
//
// It manages containers, pods, images, networks and volumes, and their owners. The
// podman_* modules decide which should exist.
package podman

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// Client runs podman on one host.
type Client struct {
	Host module.Host
	// Runtime is the OCI runtime of containers made with this client, "" for
	// podman's default. Podman records it for each container.
	Runtime string
}

// Run runs podman and returns what it printed.
func (c Client) Run(ctx context.Context, args ...string) (string, error) {
	return c.run(ctx, module.Command{Argv: c.argv(args)})
}

// RunEnv is Run with environment variables, which podman's --env passes on by
// name, so that no argument list contains their values.
func (c Client) RunEnv(ctx context.Context, env map[string]string, args ...string) (string, error) {
	return c.run(ctx, module.Command{Argv: c.argv(args), Env: env})
}

// RunLines is Run that passes each line on as it arrives.
func (c Client) RunLines(ctx context.Context, line func(string), args ...string) (string, error) {
	return c.run(ctx, module.Command{Argv: c.argv(args), Line: line})
}

func (c Client) argv(args []string) []string {
	argv := []string{"podman"}
	if c.Runtime != "" {
		argv = append(argv, "--runtime", c.Runtime)
	}
	return append(argv, args...)
}

func (c Client) run(ctx context.Context, command module.Command) (string, error) {
	out, err := c.Host.Run(ctx, command)
	return out.Stdout, err
}

// inspect returns the object of `podman KIND inspect NAME`, nil if it does not exist.
func inspect[T any](ctx context.Context, c Client, kind, name string) (*T, error) {
	text, err := c.Run(ctx, kind, "inspect", name)
	if module.Exited(err) {
		// Podman returns the same code for every error, so the command with a separate
		// code for "none" is run.
		there, existsErr := c.exists(ctx, kind, name)
		switch {
		case existsErr == nil && !there:
			return nil, nil
		case existsErr != nil && !module.Exited(existsErr):
			err = existsErr
		}
	}
	found := make([]T, 1)
	switch {
	case err != nil:
	case strings.HasPrefix(strings.TrimSpace(text), "{"): // a pod of podman 4
		err = bounds.DecodeJSON([]byte(text), &found[0])
	default:
		err = bounds.DecodeJSON([]byte(text), &found)
	}
	if err != nil {
		return nil, fmt.Errorf("inspect %s %s: %w", kind, name, err)
	}
	if len(found) != 1 {
		return nil, nil
	}
	return &found[0], nil
}

// exists checks whether an object exists; podman returns code 1 if it does not.
func (c Client) exists(ctx context.Context, kind, name string) (bool, error) {
	_, err := c.Run(ctx, kind, "exists", name)
	if module.Exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// list returns a listing with --format json. Podman prints nothing,
// not an empty list, in some of them.
func list[T any](ctx context.Context, c Client, args ...string) ([]T, error) {
	var found []T
	text, err := c.Run(ctx, append(args, "--format", "json")...)
	if err == nil && strings.TrimSpace(text) != "" {
		err = bounds.DecodeJSON([]byte(text), &found)
	}
	if err != nil {
		return nil, fmt.Errorf("list with podman %s: %w", strings.Join(args, " "), err)
	}
	return found, nil
}

func decode(text string, value any) error {
	if err := bounds.DecodeJSON([]byte(text), value); err != nil {
		return fmt.Errorf("read what podman printed: %w", err)
	}
	return nil
}

// NotInstalled reports whether an error means that podman is not installed, and that
// the host therefore has no podman objects.
func NotInstalled(err error) bool { return module.Exited(err, notFound) }

// notFound is the shell's code for a missing program.
const notFound = 127

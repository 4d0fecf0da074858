// Package semanage runs the program semanage, which reads and changes the local settings of
// SELinux' policy.
package semanage

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// Run runs semanage, in English.
func Run(ctx context.Context, h module.Host, args ...string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: append([]string{"semanage"}, args...), Env: map[string]string{"LC_ALL": "C"}})
	if module.Exited(err, 127) {
		err = fmt.Errorf("semanage is not installed, it is in the package policycoreutils-python-utils: %w", err)
	}
	return out.Stdout, err
}

// List returns the lines of a kind of settings, such as "port"; local ones are those that differ from
// the policy's.
func List(ctx context.Context, h module.Host, kind string, local bool) ([]string, error) {
	args := []string{kind, "--list", "--noheading"}
	if local {
		args = append(args, "--locallist")
	}
	text, err := Run(ctx, h, args...)
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, err
}

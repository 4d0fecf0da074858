package sysctl

import (
	"context"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// undoSysctl restores the former value of a kernel parameter. If the kernel no longer has
// the parameter, it does nothing.
func undoSysctl(ctx context.Context, h module.Host, mark module.Mark) error {
	file := "/proc/sys/" + dotsAndSlashes.Replace(mark.ID)
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil || !there {
		return err
	}
	// Files below /proc cannot be replaced, which is what Files.Write does.
	_, err = h.Run(ctx, module.Command{Argv: []string{"tee", "--", file}, Stdin: strings.NewReader(mark.Prior + "\n")})
	return err
}

package virt

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/hostfile"
)

// Part is the name under which a volume is made, before it is renamed.
func Part(path string) string { return path + ".part" }

// RemoveVolume removes a disk or a seed, what an interrupted creation left of it,
// and then its mark. The caller has made sure whom it belongs to.
func RemoveVolume(ctx context.Context, h module.Host, path string) error {
	for _, file := range []string{path, Part(path)} {
		if err := h.Files().Remove(ctx, file); err != nil {
			return err
		}
	}
	if err := hostfile.DropTemporaries(ctx, h, path); err != nil {
		return err
	}
	return claim.Release(ctx, h, path)
}

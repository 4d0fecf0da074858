package podmanimage

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
)

// undoImage removes an image that podman_sweep did not find.
func undoImage(ctx context.Context, h module.Host, mark module.Mark) error {
	err := podman.Client{Host: h}.Untag(ctx, mark.ID)
	if podman.NotInstalled(err) {
		return nil
	}
	return err
}

package podman

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// pauseImage is the name of the image of a pod's infra container, which podman
// makes itself from catatonit when the first pod is made.
const pauseImage = "localhost/podman-pause:"

// Image is podman's data about an image.
type Image struct {
	ID     string   `json:"Id"`
	Names  []string `json:"RepoTags"`
	Digest string
}

// Image returns an image by its full name or id, nil when there is none.
func (c Client) Image(ctx context.Context, name string) (*Image, error) {
	return inspect[Image](ctx, c, "image", name)
}

// OwnImage marks an image as the owner's before it is made.
func (c Client) OwnImage(ctx context.Context, id string, keep bool) error {
	return c.Host.Own(ctx, module.Mark{Kind: ImageMark, ID: id, Keep: keep})
}

// DisownImage removes the mark.
func (c Client) DisownImage(ctx context.Context, id string) error {
	return c.Host.Disown(ctx, module.Mark{Kind: ImageMark, ID: id})
}

// FreeImage returns nil if the image may be replaced or removed.
func (c Client) FreeImage(ctx context.Context, name string) error {
	if err := ownership.Free(ctx, c.Host, name, "remove it or use another name", ImageMark); err != nil {
		return fmt.Errorf("image %w", err)
	}
	return nil
}

// Untag removes an image's name, and the image with its last one. If
// containers still use it, the image remains without a name.
func (c Client) Untag(ctx context.Context, name string) error {
	image, err := c.Image(ctx, name)
	if err != nil || image == nil {
		return err
	}
	used, err := c.used(ctx, image.ID)
	if err != nil {
		return err
	}
	args := []string{"rmi", name}
	if used {
		args = []string{"untag", image.ID, name}
	}
	if _, err := c.Run(ctx, args...); err != nil {
		return fmt.Errorf("remove image %s: %w", name, err)
	}
	return nil
}

// DropImage is Untag for an image of the owner, whose mark goes too.
func (c Client) DropImage(ctx context.Context, name string) error {
	if err := c.Untag(ctx, name); err != nil {
		return err
	}
	return c.DisownImage(ctx, name)
}

// RemoveUnnamed removes an image by id if it has no name and no container
// uses it, and reports whether it is gone.
func (c Client) RemoveUnnamed(ctx context.Context, id string) (bool, error) {
	image, err := c.Image(ctx, id)
	if err != nil || image == nil {
		return err == nil, err
	}
	used, err := c.used(ctx, image.ID)
	if err != nil || used || len(image.Names) > 0 {
		return false, err
	}
	if _, err := c.Run(ctx, "rmi", image.ID); err != nil {
		return false, fmt.Errorf("remove image %s: %w", id, err)
	}
	return true, nil
}

// used reports whether a container was made from an image.
func (c Client) used(ctx context.Context, id string) (bool, error) {
	all, err := c.Containers(ctx)
	return slices.ContainsFunc(all, func(ctr Container) bool { return ctr.Image == id }), err
}

// OwnPauseImage marks the image that podman makes with the first pod, unless it
// exists. It is called before a pod is made.
func (c Client) OwnPauseImage(ctx context.Context) error {
	name, err := c.pauseName(ctx)
	if err != nil {
		return err
	}
	// By its name: podman lists no image at all while one is incomplete.
	if there, err := c.exists(ctx, "image", name); err != nil || there {
		return err
	}
	return c.OwnImage(ctx, name, false)
}

// pauseName is the name that this podman gives the image: its version and build
// time (podman, pkg/specgen/generate/pause_image.go).
func (c Client) pauseName(ctx context.Context) (string, error) {
	var version struct {
		Client struct {
			Version string
			Built   int64
		}
	}
	text, err := c.Run(ctx, "version", "--format", "json")
	if err != nil {
		return "", fmt.Errorf("read podman's version: %w", err)
	}
	if err := decode(text, &version); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%s-%d", pauseImage, version.Client.Version, version.Client.Built), nil
}

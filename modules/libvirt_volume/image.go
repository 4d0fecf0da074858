package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"kinit/engine/module"
)

// image is qemu-img's description of a file.
type image struct {
	Exists  bool   `json:"-"`
	Format  string `json:"format"`
	Size    int64  `json:"virtual-size"` // bytes
	Backing string `json:"full-backing-filename"`
}

// inspect reads an image; a missing file is not an error. A running domain holds a
// lock on its image, which -U ignores.
func inspect(ctx context.Context, h module.Host, path string) (image, error) {
	there, err := exists(ctx, h, path)
	if err != nil || !there {
		return image{}, err
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"qemu-img", "info", "--output=json", "-U", path}})
	if err != nil {
		return image{}, fmt.Errorf("read image %s: %w", path, err)
	}
	i := image{Exists: true}
	if err := json.Unmarshal([]byte(out.Stdout), &i); err != nil {
		return image{}, fmt.Errorf("read image %s: qemu-img gave no JSON: %w", path, err)
	}
	return i, nil
}

func exists(ctx context.Context, h module.Host, path string) (bool, error) {
	_, err := h.Files().Stat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

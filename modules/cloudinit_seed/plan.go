package seed

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/media"
)

// Plan compares the file with the image.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return t.file().PlanAbsent(ctx, h)
	}
	return t.file().Plan(ctx, h)
}

// file returns the seed as a file of the host.
func (t *Task) file() media.Image {
	return media.Image{Path: t.Path, Of: t.Hostname, Build: func(context.Context, module.Host) ([]byte, error) {
		return t.image()
	}}
}

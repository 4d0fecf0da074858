package checksum

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// spool is the folder for files that cannot be made beside their place. Every user can
// create folders in it, and none can change another user's.
const spool = "/var/tmp/kinit"

// Part is a file while a program makes it. Programs take paths, and another user who
// can change a folder above could redirect one: the part is therefore in a place that only the
// owner can change.
type Part struct {
	Path string
	own  string // a folder that is removed with it; empty for a part beside its file
}

// NewPart chooses the place for a file's part: beside the file, where an existing part
// can be continued, or in a new private folder if others can change that folder.
func NewPart(ctx context.Context, h module.Host, file string) (Part, error) {
	folder, err := h.Files().Folder(ctx, file)
	if err != nil {
		return Part{}, fmt.Errorf("find the folder of %s: %w", file, err)
	}
	if folder.Closed {
		return Part{Path: file + PartSuffix}, nil
	}
	own := module.TemporaryName(spool)
	if err := h.Files().Mkdir(ctx, own, module.Attr{Mode: 0o700}); err != nil {
		return Part{}, fmt.Errorf("make a folder for %s: %w", file, err)
	}
	return Part{Path: path.Join(own, path.Base(file)), own: own}, nil
}

// Beside reports whether the part is beside its file and therefore needs a mark.
func (p Part) Beside() bool { return p.own == "" }

// Drop removes a part that cannot be continued.
func (p Part) Drop(ctx context.Context, h module.Host) error {
	return hostfile.Discard(ctx, h, cmp.Or(p.own, p.Path))
}

// Close removes the private folder of a part.
func (p Part) Close(ctx context.Context, h module.Host) error {
	if p.own == "" {
		return nil
	}
	return p.Drop(ctx, h)
}

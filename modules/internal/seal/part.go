package seal

import (
	"context"
	"fmt"
	"path"
	"time"

	"kinit/engine/module"
)

// spool is where files are made that cannot be made beside their place. Everybody may
// make folders in it, and nobody touches those of others.
const spool = "/var/tmp/kinit"

// cleanUp is how long removing a part may take after the task's time is over.
const cleanUp = 10 * time.Second

// Part is a file while a program makes it. Programs take paths, which another user who
// can change a folder on the way could lead elsewhere: so it lies where nobody else can.
type Part struct {
	Path string
	own  string // a folder that goes with it; empty for a part beside its file
}

// NewPart finds the place for a file's part: beside the file, where a part that is there
// can be gone on with, or where others can change that folder, in a new one of its own.
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

// Beside tells whether the part is beside its file, and so to be marked.
func (p Part) Beside() bool { return p.own == "" }

// Drop removes a part that nothing can go on with.
func (p Part) Drop(ctx context.Context, h module.Host) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUp)
	defer cancel()
	if p.own != "" {
		return h.Files().Remove(ctx, p.own)
	}
	return h.Files().Remove(ctx, p.Path)
}

// Close removes the folder of a part that has one of its own.
func (p Part) Close(ctx context.Context, h module.Host) error {
	if p.own == "" {
		return nil
	}
	return p.Drop(ctx, h)
}

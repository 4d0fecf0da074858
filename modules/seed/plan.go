package seed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/virt"
)

// state is what Plan needs to know of a host.
type state struct {
	exists bool
	sum    string // SHA-256 of the file that is there
	marked bool   // the owner's manifest has the seed
}

// Plan compares the file with the image.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(s), nil
	}
	image, err := t.image()
	if err != nil {
		return nil, err
	}
	return t.decide(s, sum(image)), nil
}

// read hashes the file. Mode and owner are left out: libvirt gives the file to
// QEMU's user while a domain uses it. A file that is not the owner's is an error
// from here, so that steps check it again.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if _, s.marked, err = claim.Of(ctx, h, t.Path); err != nil {
		return s, err
	}
	file, err := h.Files().Open(ctx, t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer file.Close()
	if !s.marked && h.Owner() != "" {
		return s, fmt.Errorf("%s exists on %s and is not owned by cluster %s: "+
			"choose another path, or remove it yourself if nothing needs it", t.Path, h.Name(), h.Owner())
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return s, fmt.Errorf("read %s: %w", t.Path, err)
	}
	s.exists, s.sum = true, sum(content)
	return s, nil
}

func (t *Task) decideAbsent(s state) []module.Step {
	if !s.exists && !s.marked {
		return nil
	}
	return []module.Step{module.NewStep("remove seed "+t.Path, t.remove)}
}

// decide never shows what is in the image: it holds keys.
func (t *Task) decide(s state, want string) []module.Step {
	switch {
	case !s.exists:
		return []module.Step{module.NewStep(fmt.Sprintf("create seed %s of %s", t.Path, t.Hostname), t.write)}
	case s.sum != want:
		return []module.Step{module.NewStep(fmt.Sprintf("replace seed %s of %s", t.Path, t.Hostname), t.write)}
	}
	return nil
}

// write uploads the image, readable by root alone; libvirt lets QEMU read it.
func (t *Task) write(ctx context.Context, h module.Host) error {
	if _, err := t.read(ctx, h); err != nil {
		return err
	}
	image, err := t.image()
	if err != nil {
		return err
	}
	if err := h.Own(ctx, virt.VolumeMark(t.Path)); err != nil {
		return err
	}
	return h.Files().Write(ctx, t.Path, bytes.NewReader(image), module.Attr{Mode: 0o600})
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	if _, err := t.read(ctx, h); err != nil {
		return err
	}
	return virt.RemoveVolume(ctx, h, t.Path)
}

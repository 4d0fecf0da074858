package volume

import (
	"context"
	"fmt"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/virt"
)

// create makes the image under another name and renames it when it is complete.
func (t *Task) create(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.have.Exists {
		return err
	}
	argv, err := t.creation(s.base)
	if err != nil {
		return fmt.Errorf("%w, on %s", err, h.Name())
	}
	if err := h.Own(ctx, virt.VolumeMark(t.path())); err != nil {
		return err
	}
	if _, err := h.Run(ctx, module.Command{Argv: argv}); err != nil {
		return fmt.Errorf("create volume %s: %w", t.path(), err)
	}
	// The guest's data is private; libvirt gives the file to QEMU's user when the domain
	// starts.
	if err := h.Files().SetAttr(ctx, virt.Part(t.path()), module.Attr{Mode: 0o600}); err != nil {
		return err
	}
	return h.Files().Rename(ctx, virt.Part(t.path()), t.path())
}

func (t *Task) creation(base image) ([]string, error) {
	want, err := t.bytes()
	if err != nil {
		return nil, err
	}
	if err := t.fits(want, base); err != nil {
		return nil, err
	}
	argv := []string{"qemu-img", "create", "-q", "-f", "qcow2"}
	if t.Backing != "" {
		if !base.Exists {
			return nil, fmt.Errorf("base image %s of volume %s does not exist: download or copy it first", t.Backing, t.path())
		}
		argv = append(argv, "-b", t.Backing, "-F", base.Format)
	}
	argv = append(argv, virt.Part(t.path()))
	if want > 0 {
		argv = append(argv, strconv.FormatInt(want, 10))
	}
	return argv, nil
}

// grow makes the image larger. QEMU's own lock refuses it while a domain runs.
func (t *Task) grow(ctx context.Context, h module.Host) error {
	want, err := t.bytes()
	if err != nil {
		return err
	}
	have, err := inspect(ctx, h, t.path())
	if err != nil || have.Size >= want {
		return err
	}
	argv := []string{"qemu-img", "resize", "-q", "-f", "qcow2", t.path(), strconv.FormatInt(want, 10)}
	if _, err := h.Run(ctx, module.Command{Argv: argv}); err != nil {
		return fmt.Errorf("grow volume %s, which its domain must not use meanwhile: stop the domain first: %w", t.path(), err)
	}
	return nil
}

// remove deletes the image, which must be the owner's.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	if _, err := t.read(ctx, h); err != nil {
		return err
	}
	return virt.RemoveVolume(ctx, h, t.path())
}

package winimage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kinit/engine/module"
	"kinit/engine/size"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/media"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/virt"
)

// make installs and seals, or continues an interrupted installation.
func (t *Task) make(ctx context.Context, h module.Host) error {
	there, err := hostfile.Exists(ctx, h, t.Path)
	if err != nil || there {
		return err
	}
	going, err := t.going(ctx, h)
	if err != nil {
		return err
	}
	if !going {
		if err := t.begin(ctx, h); err != nil {
			return err
		}
	}
	if err := t.watch(ctx, h); err != nil {
		return err
	}
	return t.finish(ctx, h)
}

// going reports whether an earlier run's installation is still running, or finished without
// clean-up.
func (t *Task) going(ctx context.Context, h module.Host) (bool, error) {
	spec, err := t.spec(h)
	if err != nil {
		return false, err
	}
	hash, err := spec.Hash()
	if err != nil {
		return false, err
	}
	var d virt.Domain
	err = t.open.Do(ctx, h, func(c *virt.Conn) error {
		d, _, err = c.FindOwn(ctx, h, t.domain(h))
		return err
	})
	if err != nil || d.Stamp == nil || d.Stamp.Hash != hash {
		return false, err
	}
	failed, err := t.guest(h).Failed(ctx, h)
	return !failed && (d.State == virt.Running || d.ShutDown), err
}

// begin removes the rest of an earlier run and starts the domain.
func (t *Task) begin(ctx context.Context, h module.Host) error {
	cd, err := t.cd(ctx, h)
	if err != nil {
		return err
	}
	if err := t.clear(ctx, h); err != nil {
		return err
	}
	if err := media.Write(ctx, h, t.seed(h), cd); err != nil {
		return err
	}
	if err := t.createDisk(ctx, h); err != nil {
		return err
	}
	spec, err := t.spec(h)
	if err != nil {
		return err
	}
	text, err := spec.XML(ownership.Signature(h), "")
	if err != nil {
		return err
	}
	if err := h.Own(ctx, virt.LogMark(spec.Name)); err != nil {
		return err
	}
	return t.open.Do(ctx, h, func(c *virt.Conn) error {
		if err := c.Define(ctx, text); err != nil {
			return err
		}
		return c.Start(ctx, spec.Name)
	})
}

func (t *Task) createDisk(ctx context.Context, h module.Host) error {
	bytes, err := size.Parse(t.Size)
	if err != nil {
		return fmt.Errorf("size: %w", err)
	}
	if err := h.Own(ctx, virt.VolumeMark(t.disk(h))); err != nil {
		return err
	}
	argv := []string{"qemu-img", "create", "-q", "-f", "qcow2", t.disk(h), strconv.FormatInt(bytes, 10)}
	if _, err := h.Run(ctx, module.Command{Argv: argv}); err != nil {
		return fmt.Errorf("create %s: %w", t.disk(h), err)
	}
	return h.Files().SetAttr(ctx, t.disk(h), module.Attr{Mode: 0o600})
}

// clear removes the domain, its disk and its CD, which must be the owner's.
func (t *Task) clear(ctx context.Context, h module.Host) error {
	err := t.open.Do(ctx, h, func(c *virt.Conn) error { return c.Remove(ctx, h, t.domain(h)) })
	if err != nil {
		return err
	}
	for _, file := range []string{t.disk(h), t.seed(h)} {
		if err := mayRemove(ctx, h, file); err != nil {
			return err
		}
		if err := virt.RemoveVolume(ctx, h, file); err != nil {
			return err
		}
	}
	return nil
}

// watch returns when the guest has turned itself off, which its script does only after
// the system is sealed.
func (t *Task) watch(ctx context.Context, h module.Host) error {
	within, err := time.ParseDuration(t.Within)
	if err != nil {
		return err
	}
	name := t.domain(h)
	return t.guest(h).Wait(ctx, h, "domain "+name+" to install and seal itself", within,
		func(_ context.Context, s guestwatch.Sight) (bool, error) {
			if s.Off && !s.ShutDown {
				return false, fmt.Errorf("domain %s stopped before it was done, and not by itself: run again to start over", name)
			}
			return s.ShutDown, nil
		})
}

// finish removes the domain and turns its disk into the image. The link fails if
// somebody else was faster; then the existing image is as good.
func (t *Task) finish(ctx context.Context, h module.Host) error {
	err := t.open.Do(ctx, h, func(c *virt.Conn) error { return c.Remove(ctx, h, t.domain(h)) })
	if err != nil {
		return err
	}
	disk := t.disk(h)
	// The domain wrote without waiting for the hypervisor's disk.
	if _, err := h.Run(ctx, module.Command{Argv: []string{"sync", disk}}); err != nil {
		return fmt.Errorf("write %s to the disk: %w", disk, err)
	}
	if err := h.Files().SetAttr(ctx, disk, module.Attr{Mode: 0o444}); err != nil {
		return err
	}
	if err := h.Own(ctx, t.mark()); err != nil {
		return err
	}
	if _, err := h.Run(ctx, module.Command{Argv: []string{"ln", disk, t.Path}}); err != nil {
		there, existsErr := hostfile.Exists(ctx, h, t.Path)
		if existsErr != nil || !there {
			return errors.Join(fmt.Errorf("name the image %s: %w", t.Path, err), existsErr)
		}
		if err := h.Disown(ctx, t.mark()); err != nil {
			return err
		}
	}
	return errors.Join(virt.RemoveVolume(ctx, h, disk), virt.RemoveVolume(ctx, h, t.seed(h)))
}

// mayRemove returns an error if a file exists and is not the owner's.
func mayRemove(ctx context.Context, h module.Host, file string, kinds ...string) error {
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil || !there {
		return err
	}
	return ownership.Free(ctx, h, file, ownership.Remove, kinds...)
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	if err := mayRemove(ctx, h, t.Path, hostfile.FileKind); err != nil {
		return err
	}
	return hostfile.Drop(ctx, h, t.Path)
}

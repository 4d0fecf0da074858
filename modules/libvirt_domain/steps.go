package domain

import (
	"context"
	"errors"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/virt"
)

// define makes the definition, or replaces the owner's existing one, which keeps
// its UUID.
func (t *Task) define(ctx context.Context, h module.Host) error {
	spec, err := t.spec()
	if err != nil {
		return err
	}
	return t.open.Do(ctx, h, func(c *virt.Conn) error {
		old, found, err := c.FindOwn(ctx, h, t.Name)
		if err != nil {
			return err
		}
		uuid := t.UUID
		if found {
			uuid = old.UUID
		}
		if err := t.ownLogs(ctx, h); err != nil {
			return err
		}
		text, err := spec.XML(ownership.Signature(h), uuid)
		if err != nil {
			return err
		}
		return t.hint(c.Define(ctx, text))
	})
}

// ownLogs marks the future logs of the domain, unless another owner's logs exist
// already.
func (t *Task) ownLogs(ctx context.Context, h module.Host) error {
	if _, there, err := hostfile.Look(ctx, h, virt.ConsoleLog(t.Name)); err != nil || there {
		return err
	}
	return h.Own(ctx, virt.LogMark(t.Name))
}

// hint adds advice for a host without KVM.
func (t *Task) hint(err error) error {
	if err != nil && t.VirtType == "kvm" && virt.Unsupported(err) {
		return fmt.Errorf("%w (where /dev/kvm is missing or does not work, virt_type = \"qemu\" emulates the processor)", err)
	}
	return err
}

// on changes the domain, which must be the owner's.
func (t *Task) on(ctx context.Context, h module.Host, change func(*virt.Conn) error) error {
	return t.open.Do(ctx, h, func(c *virt.Conn) error {
		if _, _, err := c.FindOwn(ctx, h, t.Name); err != nil {
			return err
		}
		return change(c)
	})
}

func (t *Task) setAutostart(ctx context.Context, h module.Host) error {
	return t.on(ctx, h, func(c *virt.Conn) error { return c.SetAutostart(ctx, t.Name, t.Autostart) })
}

func (t *Task) start(ctx context.Context, h module.Host) error {
	return t.on(ctx, h, func(c *virt.Conn) error { return c.Start(ctx, t.Name) })
}

func (t *Task) shutdown(ctx context.Context, h module.Host) error {
	grace, err := t.grace()
	if err != nil {
		return err
	}
	return t.on(ctx, h, func(c *virt.Conn) error { return c.Shutdown(ctx, t.Name, grace) })
}

func (t *Task) restart(ctx context.Context, h module.Host) error {
	if err := t.shutdown(ctx, h); err != nil {
		return err
	}
	return t.start(ctx, h)
}

func (t *Task) powerOff(ctx context.Context, h module.Host) error {
	return t.on(ctx, h, func(c *virt.Conn) error { return c.PowerOff(ctx, t.Name) })
}

// remove undefines the domain and removes its logs. Without libvirt only logs can be
// left.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	err := t.open.Do(ctx, h, func(c *virt.Conn) error { return c.Remove(ctx, h, t.Name) })
	if errors.Is(err, virt.ErrNotInstalled) {
		return virt.RemoveLogs(ctx, h, t.Name)
	}
	return err
}

package virt

import (
	"context"
	"errors"
	"time"

	"libvirt.org/go/libvirt"
	"libvirt.org/go/libvirtxml"
)

// pollEvery is how often a domain that shuts down is looked at.
const pollEvery = 200 * time.Millisecond

// Define makes a domain of its XML, or replaces the lasting definition of the
// domain with that name and UUID.
func (c *Conn) Define(ctx context.Context, text string) error {
	text, err := c.adapt(text)
	if err != nil {
		return err
	}
	return c.call(ctx, "define domain", func() error {
		lv, err := c.lv.DomainDefineXML(text)
		if err != nil {
			return err
		}
		return lv.Free()
	})
}

// adapt sets the domain type of the test driver.
func (c *Conn) adapt(text string) (string, error) {
	if c.domainType == "" {
		return text, nil
	}
	var d libvirtxml.Domain
	if err := d.Unmarshal(text); err != nil {
		return "", err
	}
	d.Type = c.domainType
	return d.Marshal()
}

// Start makes a domain run: it starts a stopped one and resumes a paused one. It is no error
// if somebody else starts the domain at the same time, as a run that was cut off may.
func (c *Conn) Start(ctx context.Context, name string) error {
	return c.must(ctx, "start domain "+name, name, func(lv *libvirt.Domain) error {
		state, _, err := lv.GetState()
		if err != nil {
			return err
		}
		switch stateOf(state) {
		case Stopped:
			return unlessRunning(lv, lv.Create())
		case Paused:
			return unlessRunning(lv, lv.Resume()) // it is paused at first while it starts, too
		}
		return nil
	})
}

// unlessRunning forgives starting a domain that runs by now.
func unlessRunning(lv *libvirt.Domain, err error) error {
	if !errors.Is(err, libvirt.ERR_OPERATION_INVALID) {
		return err
	}
	if active, asked := lv.IsActive(); asked != nil || !active {
		return err
	}
	return nil
}

// SetAutostart says whether the domain starts with the host.
func (c *Conn) SetAutostart(ctx context.Context, name string, on bool) error {
	return c.must(ctx, "set autostart of domain "+name, name, func(lv *libvirt.Domain) error {
		return lv.SetAutostart(on)
	})
}

// Shutdown asks the guest to shut down and cuts its power when it has not done
// so after grace. Without grace the power is cut at once.
func (c *Conn) Shutdown(ctx context.Context, name string, grace time.Duration) error {
	if grace <= 0 {
		return c.PowerOff(ctx, name)
	}
	_, err := c.with(ctx, "shut down domain "+name, name, func(lv *libvirt.Domain) error {
		active, err := lv.IsActive()
		if err != nil || !active {
			return err
		}
		return unlessOff(lv.Shutdown())
	})
	if err != nil {
		return err
	}
	off, err := c.waitOff(ctx, name, grace)
	if err != nil || off {
		return err
	}
	return c.PowerOff(ctx, name)
}

// waitOff waits until the domain is stopped and reports whether that happened in
// time.
func (c *Conn) waitOff(ctx context.Context, name string, grace time.Duration) (bool, error) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		d, found, err := c.Find(ctx, name)
		if err != nil || !found || d.State == Stopped {
			return true, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-deadline.C:
			return false, nil
		case <-tick.C:
		}
	}
}

// PowerOff cuts the power. A domain that is off or missing is no error.
func (c *Conn) PowerOff(ctx context.Context, name string) error {
	_, err := c.with(ctx, "stop domain "+name, name, func(lv *libvirt.Domain) error {
		return unlessOff(lv.Destroy())
	})
	return err
}

// unlessOff forgives stopping a domain that is not running: even after asking
// there is a moment in which it may stop by itself.
func unlessOff(err error) error {
	if errors.Is(err, libvirt.ERR_OPERATION_INVALID) {
		return nil
	}
	return err
}

// Undefine removes a stopped domain's definition with everything libvirt keeps
// beside it. A missing domain is no error.
func (c *Conn) Undefine(ctx context.Context, name string) error {
	_, err := c.with(ctx, "undefine domain "+name, name, func(lv *libvirt.Domain) error {
		d, err := read(lv)
		if err != nil {
			return err
		}
		flags := libvirt.DOMAIN_UNDEFINE_MANAGED_SAVE | libvirt.DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
		if d.nvram {
			flags |= libvirt.DOMAIN_UNDEFINE_NVRAM
		}
		return lv.UndefineFlags(flags)
	})
	return err
}

// must is with for a domain that has to be there.
func (c *Conn) must(ctx context.Context, what, name string, f func(*libvirt.Domain) error) error {
	found, err := c.with(ctx, what, name, f)
	if err == nil && !found {
		return apiError{what: what, err: libvirt.Error{Code: libvirt.ERR_NO_DOMAIN, Message: "there is no such domain"}}
	}
	return err
}

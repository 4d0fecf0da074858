package virt

import (
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"

	"libvirt.org/go/libvirt"
	"libvirt.org/go/libvirtxml"
)

// State is what a domain does.
type State string

// The states that make a difference to kinit.
const (
	Running State = "running"
	Paused  State = "paused" // by a user, or by QEMU after an I/O error
	Stopped State = "stopped"
)

// Domain is a domain as libvirt has it.
type Domain struct {
	Name, UUID string
	State      State
	Autostart  bool
	// Stamp is that of the lasting definition; nil means that kinit did not make
	// the domain.
	Stamp *Stamp
	// Live is the stamp of the definition that runs now; nil unless it is active.
	Live *Stamp
	// VNCPort is the TCP port of its display on the host's loopback, 0 for none.
	VNCPort int
	// nvram says that undefining must remove the firmware's variables.
	nvram bool
	// ShutDown says that it is stopped because its guest turned itself off, as
	// far as libvirt remembers: after a restart of libvirt the answer is no.
	ShutDown bool
	// CDs are the paths of the discs that the domain will have at its next start.
	CDs []string
}

// OwnedBy reports whether kinit made the domain for the owner of the signature. A copy has
// no owner.
func (d Domain) OwnedBy(owner string) bool {
	return d.Stamp != nil && d.Stamp.Owner == owner && !d.Copied()
}

// Copied reports whether the stamp is that of another domain, of which this one is a copy.
// Stamps of a time when they had no UUID do not say.
func (d Domain) Copied() bool {
	return d.Stamp != nil && d.Stamp.UUID != "" && d.Stamp.UUID != d.UUID
}

// Find returns the domain of a name and whether there is one.
func (c *Conn) Find(ctx context.Context, name string) (Domain, bool, error) {
	var d Domain
	found, err := c.with(ctx, "read domain "+name, name, func(lv *libvirt.Domain) error {
		var err error
		d, err = read(lv)
		return err
	})
	return d, found, err
}

// FindOwn is Find for a domain that the host's owner made. One of somebody else is an error.
func (c *Conn) FindOwn(ctx context.Context, h module.Host, name string) (Domain, bool, error) {
	d, found, err := c.Find(ctx, name)
	if err == nil && found && !d.OwnedBy(ownership.Signature(h)) {
		err = Foreign(h, d)
	}
	return d, found, err
}

// Stamped returns the domains that have a stamp of kinit, in libvirt's order.
func (c *Conn) Stamped(ctx context.Context) ([]Domain, error) {
	var stamped []Domain
	err := c.call(ctx, "list domains", func() error {
		all, err := c.lv.ListAllDomains(0)
		if err != nil {
			return err
		}
		stamped, err = readStamped(all)
		return err
	})
	return stamped, err
}

// readStamped reads and frees the domains. One that went away meanwhile is left
// out.
func readStamped(all []libvirt.Domain) ([]Domain, error) {
	var stamped []Domain
	var failed error
	for i := range all {
		d, err := read(&all[i])
		switch {
		case errors.Is(err, libvirt.ERR_NO_DOMAIN):
		case err != nil:
			failed = errors.Join(failed, err)
		case d.Stamp != nil:
			stamped = append(stamped, d)
		}
		failed = errors.Join(failed, all[i].Free())
	}
	return stamped, failed
}

// with looks a domain up and calls f with it. It returns false, and no error,
// when there is no such domain.
func (c *Conn) with(ctx context.Context, what, name string, f func(*libvirt.Domain) error) (bool, error) {
	err := c.call(ctx, what, func() error {
		lv, err := c.lv.LookupDomainByName(name)
		if err != nil {
			return err
		}
		return errors.Join(f(lv), lv.Free())
	})
	if errors.Is(err, libvirt.ERR_NO_DOMAIN) {
		return false, nil
	}
	return err == nil, err
}

func read(lv *libvirt.Domain) (Domain, error) {
	state, reason, err := lv.GetState()
	if err != nil {
		return Domain{}, err
	}
	lasting, err := describe(lv, libvirt.DOMAIN_XML_INACTIVE)
	if err != nil {
		return Domain{}, err
	}
	d := Domain{Name: lasting.Name, UUID: lasting.UUID, State: stateOf(state)}
	d.ShutDown = state == libvirt.DOMAIN_SHUTOFF && reason == int(libvirt.DOMAIN_SHUTOFF_SHUTDOWN)
	d.CDs = discs(lasting)
	d.nvram = lasting.OS != nil && (lasting.OS.Firmware == "efi" || lasting.OS.NVRam != nil)
	if d.Stamp, err = readStamp(lasting.Metadata); err != nil {
		return Domain{}, err
	}
	if d.Autostart, err = autostart(lv); err != nil {
		return Domain{}, err
	}
	if d.State == Stopped {
		return d, nil
	}
	return d, d.readLive(lv)
}

// readLive adds what only the running definition knows.
func (d *Domain) readLive(lv *libvirt.Domain) error {
	live, err := describe(lv, 0)
	if err != nil {
		return err
	}
	d.VNCPort = vncPort(live)
	d.Live, err = readStamp(live.Metadata)
	return err
}

func describe(lv *libvirt.Domain, flags libvirt.DomainXMLFlags) (*libvirtxml.Domain, error) {
	text, err := lv.GetXMLDesc(flags)
	if err != nil {
		return nil, err
	}
	var d libvirtxml.Domain
	return &d, d.Unmarshal(text)
}

// stateOf maps libvirt's states. One that is shutting down still runs.
func stateOf(s libvirt.DomainState) State {
	switch s {
	case libvirt.DOMAIN_SHUTOFF, libvirt.DOMAIN_CRASHED, libvirt.DOMAIN_NOSTATE:
		return Stopped
	case libvirt.DOMAIN_PAUSED:
		return Paused
	}
	return Running
}

// autostart reports whether the domain starts with the host. One that is not
// lasting never does, and libvirt refuses to say so.
func autostart(lv *libvirt.Domain) (bool, error) {
	lasting, err := lv.IsPersistent()
	if err != nil || !lasting {
		return false, err
	}
	return lv.GetAutostart()
}

func discs(d *libvirtxml.Domain) []string {
	if d.Devices == nil {
		return nil
	}
	var paths []string
	for _, disk := range d.Devices.Disks {
		if isDisc(disk) {
			paths = append(paths, disk.Source.File.File)
		}
	}
	return paths
}

// isDisc reports whether a disk is a CD drive with a disc in it.
func isDisc(disk libvirtxml.DomainDisk) bool {
	return disk.Device == "cdrom" && disk.Source != nil && disk.Source.File != nil && disk.Source.File.File != ""
}

func vncPort(d *libvirtxml.Domain) int {
	if d.Devices == nil {
		return 0
	}
	for _, g := range d.Devices.Graphics {
		if g.VNC != nil && g.VNC.Port > 0 {
			return g.VNC.Port
		}
	}
	return 0
}

package winimage

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"time"

	"kinit/engine/size"
	"kinit/modules/internal/media"
	"kinit/modules/internal/virt"
)

// leastDisk is the minimum disk size of Windows Server by Microsoft's requirements, in bytes.
const leastDisk = 32 << 30

func (t *Task) Validate() error {
	if err := media.Check(t.Path); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	return errors.Join(t.validateMedia(), t.validateMachine())
}

func (t *Task) validateMedia() error {
	for name, file := range map[string]string{"installer": t.Installer, "drivers": t.Drivers, "pictures": t.Pictures} {
		if !path.IsAbs(file) {
			return fmt.Errorf("%s %q: expected an absolute path of the host", name, file)
		}
	}
	if t.OpenSSH != "" && !path.IsAbs(t.OpenSSH) {
		return fmt.Errorf("openssh %q: expected an absolute path of the host", t.OpenSSH)
	}
	return t.media().Check()
}

// domainName matches the names that are safe in paths too.
var domainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (t *Task) validateMachine() error {
	memory, err := size.Parse(t.Memory)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	disk, err := size.Parse(t.Size)
	if err != nil {
		return fmt.Errorf("size: %w", err)
	}
	within, err := time.ParseDuration(t.Within)
	switch {
	case err != nil || within <= 0:
		return fmt.Errorf("within %q: expected a duration such as \"90m\"", t.Within)
	case memory < virt.LeastWindows:
		return fmt.Errorf("memory %s: Windows Server installs itself with %s at least", t.Memory, size.Format(virt.LeastWindows))
	case disk < leastDisk:
		return fmt.Errorf("size %s: Windows Server needs a disk of %s at least", t.Size, size.Format(leastDisk))
	case t.VCPUs < 1:
		return fmt.Errorf("vcpus %d: expected at least 1", t.VCPUs)
	case t.VirtType != "kvm" && t.VirtType != "qemu":
		return fmt.Errorf("virt_type %q: expected \"kvm\" or \"qemu\"", t.VirtType)
	case t.Firmware != "uefi" && t.Firmware != "bios":
		return fmt.Errorf("firmware %q: expected \"uefi\" or \"bios\"", t.Firmware)
	case t.Domain != "" && !domainName.MatchString(t.Domain):
		return fmt.Errorf("domain %q: expected letters, digits, '.', '-' and '_'", t.Domain)
	}
	return nil
}

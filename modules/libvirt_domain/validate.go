package domain

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path"
	"regexp"

	"kinit/engine/size"
	"kinit/modules/internal/virt"
)

// maxCDs is the number of drives of either chipset's SATA controller.
const maxCDs = 6

// maxDataDisks is the number of letters after those of the disk and the seed.
const maxDataDisks = 24

var (
	// domainName matches the names that are safe in paths too.
	domainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	// pciForm matches a domain, a bus, a slot and a function, in hexadecimal digits.
	pciForm  = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$`)
	uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
)

func (t *Task) Validate() error {
	if !domainName.MatchString(t.Name) {
		return fmt.Errorf("name %q: expected letters, digits, '.', '-' and '_'", t.Name)
	}
	if grace, err := t.grace(); err != nil || grace < 0 {
		return fmt.Errorf("shutdown %q: expected a duration such as \"60s\", or \"0s\"", t.Shutdown)
	}
	if t.UUID != "" && !isUUID(t.UUID) {
		return fmt.Errorf("uuid %q: expected a UUID", t.UUID)
	}
	if t.State == "absent" {
		return nil
	}
	return errors.Join(t.validateMachine(), t.validateDisks(), t.validateNICs())
}

func (t *Task) validateMachine() error {
	if t.VCPUs < 1 {
		return fmt.Errorf("vcpus %d: expected at least 1", t.VCPUs)
	}
	memory, err := size.Parse(t.Memory)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if t.VirtType == "qemu" && t.cpu() != "maximum" {
		return fmt.Errorf("cpu %q needs virt_type \"kvm\": with \"qemu\" the processor is emulated, use \"maximum\"", t.CPU)
	}
	if t.OSType == "windows" && memory < virt.LeastWindows {
		return fmt.Errorf("memory %s: Windows Server installs itself with %s at least", t.Memory, size.Format(virt.LeastWindows))
	}
	return nil
}

// cpu is the processor, or the default of the type.
func (t *Task) cpu() string {
	switch {
	case t.CPU != "":
		return t.CPU
	case t.VirtType == "qemu":
		return "maximum"
	}
	return "host-passthrough"
}

func (t *Task) validateDisks() error {
	if !path.IsAbs(t.Disk) {
		return fmt.Errorf("disk %q: expected an absolute path", t.Disk)
	}
	if t.Seed != "" && !path.IsAbs(t.Seed) {
		return fmt.Errorf("seed %q: expected an absolute path", t.Seed)
	}
	if err := cmp.Or(paths("cdroms", t.CDs, maxCDs), paths("data_disks", t.DataDisks, maxDataDisks)); err != nil {
		return err
	}
	for _, address := range t.PCIDevices {
		if !pciForm.MatchString(address) {
			return fmt.Errorf("pci_devices has %q: expected addresses such as \"0000:03:00.0\", in lower case", address)
		}
	}
	return nil
}

func paths(argument string, list []string, most int) error {
	if len(list) > most {
		return fmt.Errorf("%s has %d paths: expected up to %d", argument, len(list), most)
	}
	for _, name := range list {
		if !path.IsAbs(name) {
			return fmt.Errorf("%s has %q: expected absolute paths", argument, name)
		}
	}
	return nil
}

func (t *Task) validateNICs() error {
	for i, n := range t.NICs {
		if err := n.validate(t.VCPUs); err != nil {
			return fmt.Errorf("nic %d: %w", i+1, err)
		}
	}
	return nil
}

func (n NIC) validate(vcpus int) error {
	if n.Bridge == "" {
		return errors.New("bridge is empty: expected the name of a bridge on the host")
	}
	if n.PortID != "" && !isUUID(n.PortID) {
		return fmt.Errorf("port_id %q: expected a UUID, libvirt takes nothing else", n.PortID)
	}
	mac, err := net.ParseMAC(n.MAC)
	if err != nil || len(mac) != 6 || mac[0]&1 == 1 {
		return fmt.Errorf("mac %q: expected an address of one card, such as \"52:54:00:12:34:56\"", n.MAC)
	}
	// 68 bytes are what IPv4 needs (RFC 791), 65535 is Linux's limit.
	if n.MTU != 0 && (n.MTU < 68 || n.MTU > 65535) {
		return fmt.Errorf("mtu %d: expected 68 to 65535 bytes", n.MTU)
	}
	if n.Queues < 0 || n.Queues > vcpus {
		return fmt.Errorf("queues %d: expected up to the number of vcpus, %d", n.Queues, vcpus)
	}
	return nil
}

func isUUID(text string) bool {
	return uuidForm.MatchString(text)
}

func (t *Task) spec() (virt.Spec, error) {
	memory, err := size.Parse(t.Memory)
	if err != nil {
		return virt.Spec{}, fmt.Errorf("memory: %w", err)
	}
	s := virt.Spec{
		Name: t.Name, Description: t.Description, Type: t.VirtType, VCPUs: t.VCPUs, Memory: memory,
		CPU: t.cpu(), Machine: t.Machine, UEFI: t.Firmware == "uefi", DiskCache: t.DiskCache,
		Disk: t.Disk, Seed: t.Seed, CDs: t.CDs, DataDisks: t.DataDisks, PCI: t.PCIDevices, VNC: t.VNC,
		Windows: t.OSType == "windows", LocalTime: t.Clock == "localtime", TPM: t.TPM,
	}
	for _, n := range t.NICs {
		s.NICs = append(s.NICs, virt.NIC{
			Bridge: n.Bridge, PortID: n.PortID, MAC: n.MAC, MTU: n.MTU,
			Offload: n.Offload == nil || *n.Offload, Queues: n.Queues,
		})
	}
	return s, nil
}

package virt

import (
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
	"libvirt.org/go/libvirtxml"
)

// Spec is a domain as it is wanted. All fields but the ones said to be optional
// are needed.
type Spec struct {
	Name        string
	Description string // optional
	Type        string // "kvm" or "qemu"
	VCPUs       int
	Memory      int64  // bytes, rounded down to KiB
	CPU         string // "host-passthrough", "host-model" or "maximum"
	Machine     string // "q35" or "pc"
	UEFI        bool
	Disk        string   // path of a qcow2 image
	DiskCache   string   // QEMU's cache mode of the disk, optional
	Seed        string   // path of an ISO, optional, seen as a second disk
	CDs         []string // paths of ISOs, optional, in drives from which a guest with an empty disk starts
	DataDisks   []string // paths of further qcow2 images, optional
	PCI         []string // addresses of the host's devices, such as 0000:03:00.0, optional
	NICs        []NIC
	VNC         bool // a display on the host's loopback
	Windows     bool // timers, enlightenments and devices as Windows wants them
	LocalTime   bool // the machine's clock has the host's time zone, else UTC
	TPM         bool // an emulated TPM 2.0
}

// NIC is one network card.
type NIC struct {
	Bridge  string
	PortID  string // UUID of the OVS interface; empty for a Linux bridge
	MAC     string
	MTU     int  // bytes, 0 for the bridge's
	Offload bool // whether checksums and segmentation are left to the other end
	Queues  int  // pairs of queues, 0 for one
}

// Hash identifies what is wanted. libvirt adds much of its own to a definition,
// so two definitions are compared by the hash in their stamps.
func (s Spec) Hash() (string, error) {
	text, err := s.domain().Marshal()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
}

// XML returns the definition with the stamp of an owner, who is a signature. Without a uuid
// it gets a random one.
func (s Spec) XML(owner, id string) (string, error) {
	hash, err := s.Hash()
	if err != nil {
		return "", err
	}
	d := s.domain()
	d.UUID = own(id)
	if d.Metadata, err = (Stamp{Owner: owner, UUID: d.UUID, Hash: hash}).metadata(); err != nil {
		return "", err
	}
	return d.Marshal()
}

// own is a UUID in the form that libvirt gives it back in, or a random one.
func own(id string) string {
	if id == "" {
		return uuid.NewString()
	}
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id // libvirt says what is wrong with it
}

func (s Spec) domain() *libvirtxml.Domain {
	return &libvirtxml.Domain{
		Type:        s.Type,
		Name:        s.Name,
		Description: s.Description,
		Memory:      &libvirtxml.DomainMemory{Value: uint(s.Memory >> 10), Unit: "KiB"},
		VCPU:        &libvirtxml.DomainVCPU{Value: uint(s.VCPUs)},
		OS:          s.os(),
		Features:    s.features(),
		CPU:         s.cpu(),
		Clock:       s.clock(),
		OnPoweroff:  "destroy",
		OnReboot:    "restart",
		OnCrash:     "destroy",
		Devices:     s.devices(),
	}
}

func (s Spec) os() *libvirtxml.DomainOS {
	os := &libvirtxml.DomainOS{Type: &libvirtxml.DomainOSType{Arch: "x86_64", Machine: s.Machine, Type: "hvm"}}
	if len(s.CDs) == 0 { // else each device has its place in the order
		os.BootDevices = []libvirtxml.DomainBootDevice{{Dev: "hd"}}
	}
	if s.UEFI {
		os.Firmware = "efi"
		// A firmware with enrolled keys would refuse unsigned kernels.
		os.FirmwareInfo = &libvirtxml.DomainOSFirmwareInfo{
			Features: []libvirtxml.DomainOSFirmwareFeature{{Enabled: "no", Name: "secure-boot"}},
		}
	}
	return os
}

// cpu shows the guest one socket: some systems are licensed by the socket.
func (s Spec) cpu() *libvirtxml.DomainCPU {
	return &libvirtxml.DomainCPU{
		Mode:     s.CPU,
		Check:    "none",
		Topology: &libvirtxml.DomainCPUTopology{Sockets: 1, Cores: s.VCPUs, Threads: 1},
	}
}

// target is the name of a card's end on the host. Linux allows 15 characters,
// and libvirt keeps names that begin with "vnet" for itself.
func (s Spec) target(index int) string {
	return "kinit-" + fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s/%d", s.Name, index)))[:9]
}

package virt

import (
	"fmt"

	"libvirt.org/go/libvirtxml"
)

func (s Spec) devices() *libvirtxml.DomainDeviceList {
	port := uint(0)
	list := &libvirtxml.DomainDeviceList{
		Disks: []libvirtxml.DomainDisk{s.disk()},
		Serials: []libvirtxml.DomainSerial{{
			Source: &libvirtxml.DomainChardevSource{Pty: &libvirtxml.DomainChardevSourcePty{}},
			Target: &libvirtxml.DomainSerialTarget{Port: &port},
			Log:    &libvirtxml.DomainChardevLog{File: ConsoleLog(s.Name), Append: "on"},
		}},
		MemBalloon: &libvirtxml.DomainMemBalloon{Model: "virtio"},
		RNGs: []libvirtxml.DomainRNG{{
			Model:   "virtio",
			Backend: &libvirtxml.DomainRNGBackend{Random: &libvirtxml.DomainRNGBackendRandom{Device: "/dev/urandom"}},
		}},
	}
	if s.Seed != "" {
		list.Disks = append(list.Disks, s.seed())
	}
	for i, path := range s.DataDisks {
		list.Disks = append(list.Disks, s.dataDisk(i, path))
	}
	for _, address := range s.PCI {
		list.Hostdevs = append(list.Hostdevs, passedThrough(address))
	}
	for i, nic := range s.NICs {
		list.Interfaces = append(list.Interfaces, nic.device(s.target(i)))
	}
	for i, path := range s.CDs {
		list.Disks = append(list.Disks, cd(i, path))
	}
	if s.VNC {
		list.Graphics, list.Videos = display()
	}
	if s.Windows {
		list.MemBalloon.Model = "none" // its driver is not on installation media
	}
	if s.Windows && s.VNC {
		// A pointer that is where the viewer's is.
		list.Inputs = []libvirtxml.DomainInput{{Type: "tablet", Bus: "usb"}}
	}
	if s.TPM {
		list.TPMs = []libvirtxml.DomainTPM{tpm()}
	}
	return list
}

// dataDisk is a further disk, after the place of the seed. Its serial number is what the guest
// finds it by: names such as vdc follow the order in which a system finds disks.
func (s Spec) dataDisk(index int, path string) libvirtxml.DomainDisk {
	disk := s.image(path, "vd"+string(rune('c'+index)))
	disk.Serial = fmt.Sprintf("data-%d", index+1)
	return disk
}

// image is a qcow2 image as a disk.
func (s Spec) image(path, name string) libvirtxml.DomainDisk {
	return libvirtxml.DomainDisk{
		Device: "disk",
		Driver: &libvirtxml.DomainDiskDriver{Name: "qemu", Type: "qcow2", Cache: s.DiskCache, Discard: "unmap"},
		Source: file(path),
		Target: &libvirtxml.DomainDiskTarget{Dev: name, Bus: "virtio"},
	}
}

// passedThrough gives a device of the host to the guest. libvirt takes it from its driver, and
// gives it back.
func passedThrough(address string) libvirtxml.DomainHostdev {
	var domain, bus, slot, function uint
	_, _ = fmt.Sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) // libvirt says what is wrong
	return libvirtxml.DomainHostdev{
		Managed: "yes",
		SubsysPCI: &libvirtxml.DomainHostdevSubsysPCI{Source: &libvirtxml.DomainHostdevSubsysPCISource{
			Address: &libvirtxml.DomainAddressPCI{Domain: &domain, Bus: &bus, Slot: &slot, Function: &function},
		}},
	}
}

// discardGranularity is the least that a Windows guest gives back at once, in bytes; with
// QEMU's own value the driver of virtio-win refuses to.
const discardGranularity uint = 8192

func (s Spec) disk() libvirtxml.DomainDisk {
	disk := s.image(s.Disk, "vda")
	if s.Windows {
		granularity := discardGranularity
		disk.BlockIO = &libvirtxml.DomainDiskBlockIO{DiscardGranularity: &granularity}
	}
	if len(s.CDs) > 0 {
		// First, so that a system which restarts while it installs itself goes on from
		// the disk: an empty one is passed over.
		disk.Boot = &libvirtxml.DomainDeviceBoot{Order: 1}
	}
	return disk
}

// cd is a drive on SATA, which Windows' installer can read without further drivers. The
// guest starts without a disc that is gone.
func cd(index int, path string) libvirtxml.DomainDisk {
	disk := readOnly("cdrom", path, "sd"+string(rune('a'+index)), "sata")
	disk.Source.StartupPolicy = "optional"
	if index == 0 {
		disk.Boot = &libvirtxml.DomainDeviceBoot{Order: 2}
	}
	return disk
}

func tpm() libvirtxml.DomainTPM {
	return libvirtxml.DomainTPM{
		Model:   "tpm-crb",
		Backend: &libvirtxml.DomainTPMBackend{Emulator: &libvirtxml.DomainTPMBackendEmulator{Version: "2.0"}},
	}
}

// seed is a read-only disk: Debian's cloud kernel has virtio and no driver for the
// SATA controller of q35, and cloud-init finds the seed by its label, not its bus.
func (s Spec) seed() libvirtxml.DomainDisk {
	return readOnly("disk", s.Seed, "vdb", "virtio")
}

func readOnly(device, path, name, bus string) libvirtxml.DomainDisk {
	return libvirtxml.DomainDisk{
		Device:   device,
		Driver:   &libvirtxml.DomainDiskDriver{Name: "qemu", Type: "raw"},
		Source:   file(path),
		Target:   &libvirtxml.DomainDiskTarget{Dev: name, Bus: bus},
		ReadOnly: &libvirtxml.DomainDiskReadOnly{},
	}
}

func file(path string) *libvirtxml.DomainDiskSource {
	return &libvirtxml.DomainDiskSource{File: &libvirtxml.DomainDiskSourceFile{File: path}}
}

func (n NIC) device(target string) libvirtxml.DomainInterface {
	i := libvirtxml.DomainInterface{
		MAC:    &libvirtxml.DomainInterfaceMAC{Address: n.MAC},
		Source: &libvirtxml.DomainInterfaceSource{Bridge: &libvirtxml.DomainInterfaceSourceBridge{Bridge: n.Bridge}},
		Target: &libvirtxml.DomainInterfaceTarget{Dev: target},
		Model:  &libvirtxml.DomainInterfaceModel{Type: "virtio"},
	}
	if n.PortID != "" {
		i.VirtualPort = &libvirtxml.DomainInterfaceVirtualPort{Params: &libvirtxml.DomainInterfaceVirtualPortParams{
			OpenVSwitch: &libvirtxml.DomainInterfaceVirtualPortParamsOpenVSwitch{InterfaceID: n.PortID},
		}}
	}
	if n.MTU > 0 {
		i.MTU = &libvirtxml.DomainInterfaceMTU{Size: uint(n.MTU)}
	}
	if !n.Offload {
		i.Driver = noOffload()
	}
	if n.Queues > 0 {
		if i.Driver == nil {
			i.Driver = &libvirtxml.DomainInterfaceDriver{}
		}
		i.Driver.Queues = uint(n.Queues)
	}
	return i
}

// noOffload makes the guest compute its own checksums and segments. OVS's
// userspace datapath passes packets on as they are, and TCP hangs without.
func noOffload() *libvirtxml.DomainInterfaceDriver {
	return &libvirtxml.DomainInterfaceDriver{
		Host:  &libvirtxml.DomainInterfaceDriverHost{CSum: "off", GSO: "off", TSO4: "off", TSO6: "off", ECN: "off", UFO: "off"},
		Guest: &libvirtxml.DomainInterfaceDriverGuest{CSum: "off", TSO4: "off", TSO6: "off", ECN: "off", UFO: "off"},
	}
}

// display is a VNC server on loopback with a port that libvirt chooses.
func display() ([]libvirtxml.DomainGraphic, []libvirtxml.DomainVideo) {
	address := &libvirtxml.DomainGraphicListenerAddress{Address: "127.0.0.1"}
	vnc := &libvirtxml.DomainGraphicVNC{
		Port: -1, AutoPort: "yes",
		Listeners: []libvirtxml.DomainGraphicListener{{Address: address}},
	}
	video := libvirtxml.DomainVideo{Model: libvirtxml.DomainVideoModel{Type: "vga", Heads: 1, Primary: "yes"}}
	return []libvirtxml.DomainGraphic{{VNC: vnc}}, []libvirtxml.DomainVideo{video}
}

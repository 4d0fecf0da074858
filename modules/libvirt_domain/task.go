// Package domain is the module "libvirt_domain": a virtual machine with one
// disk, its seed and its network cards, defined and running or not.
//
// The domain's metadata has a hash of the arguments, which is compared, so additions by
// libvirt to a definition make no difference.
package domain

import (
	"context"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/virt"
)

// Task is a running, stopped or absent libvirt domain. A domain of the
// same name that the cluster did not make is never touched.
//
// Errors:
//   - a domain with the name exists and the cluster did not make it, or it has another
//     UUID
//   - libvirt does not start it; the error says if KVM does not work
//   - an argument is out of its range; the error has the expected range
type Task struct {
	// Name is the domain's name: letters, digits, '.', '-' and '_'.
	Name string `hcl:"name"`
	// State is the wanted state. A paused domain that should run is resumed.
	State string `hcl:"state,optional" enum:"running,stopped,absent" default:"running"`
	// UUID is the domain's UUID. Default: chosen by libvirt. It cannot change
	// while the domain is defined.
	UUID string `hcl:"uuid,optional"`
	// Description is the description in libvirt's tools. Default: none.
	Description string `hcl:"description,optional"`
	// VCPUs is the number of virtual processors. Needed unless absent.
	VCPUs int `hcl:"vcpus,optional"`
	// Memory is the guest's memory, such as "4GiB". Needed unless absent.
	Memory string `hcl:"memory,optional"`
	// Disk is the absolute path of the qcow2 image the guest starts from. Needed
	// unless absent.
	Disk string `hcl:"disk,optional"`
	// Seed is the absolute path of an ISO that the guest sees as a second, read-only disk.
	// Default: none.
	Seed string `hcl:"seed,optional"`
	// CDs are the absolute paths of ISOs in SATA drives, up to 6. A guest with an empty disk
	// starts from the first one. A disc that is missing at a start is left out.
	// Default: none.
	CDs []string `hcl:"cdroms,optional"`
	// DataDisks are the absolute paths of further qcow2 images, up to 24. The guest finds them by
	// their serial numbers, as in /dev/disk/by-id/virtio-data-1. Default: none.
	DataDisks []string `hcl:"data_disks,optional"`
	// PCIDevices are devices of the host that the guest gets to itself while it runs, by their PCI
	// addresses, such as "0000:03:00.0". The host needs an IOMMU. Default: none.
	PCIDevices []string `hcl:"pci_devices,optional"`
	// OSType is the guest's system. "windows" brings the timers, Hyper-V enlightenments and
	// devices that Windows needs; the enlightenments need KVM, so "qemu" has none.
	OSType string `hcl:"os_type,optional" enum:"linux,windows" default:"linux"`
	// Clock is the time zone of the machine's clock: "utc", or "localtime" for the host's.
	Clock string `hcl:"clock,optional" enum:"utc,localtime" default:"utc"`
	// TPM gives the guest an emulated TPM 2.0, for which the host needs swtpm.
	TPM bool `hcl:"tpm,optional"`
	// VirtType is how the guest runs; "qemu" is for a host whose processor is emulated.
	VirtType string `hcl:"virt_type,optional" enum:"kvm,qemu" default:"kvm"`
	// CPU is the processor that the guest sees: "host-passthrough" or "host-model",
	// both for kvm only, or "maximum", everything that the hypervisor can offer. Default
	// "host-passthrough" for kvm and "maximum" for qemu.
	CPU string `hcl:"cpu,optional" enum:"host-passthrough,host-model,maximum"`
	// Machine is the chipset.
	Machine string `hcl:"machine,optional" enum:"q35,pc" default:"q35"`
	// DiskCache is the cache mode of the disk: "none", "writeback", or
	// "unsafe", which loses writes when the host fails and is for guests that can be
	// recreated. Default: QEMU's own, "writeback".
	DiskCache string `hcl:"disk_cache,optional" enum:"none,writeback,unsafe"`
	// Firmware is the guest's firmware, without secure boot.
	Firmware string `hcl:"firmware,optional" enum:"bios,uefi" default:"bios"`
	// VNC gives the guest a display on the host's loopback. Default false:
	// the guest has only a serial console.
	VNC bool `hcl:"vnc,optional"`
	// Autostart starts the domain with the host.
	Autostart bool `hcl:"autostart,optional"`
	// Restart makes changed arguments take effect at once by shutting the guest
	// down and starting it again. Default false: they take effect at its next
	// start, and until then the output restart_pending is true.
	Restart bool `hcl:"restart,optional"`
	// Shutdown is how long the guest can take to shut down before its power is cut, for
	// "stopped" and restart; with "0s" the power is cut at once, as for "absent".
	Shutdown string `hcl:"shutdown,optional" default:"60s"`
	// NICs are the network cards, in the guest's order.
	NICs []NIC `hcl:"nic,block"`

	open virt.Opener
}

// NIC is one virtio network card.
type NIC struct {
	// Bridge is the name of the bridge on the host.
	Bridge string `hcl:"bridge"`
	// PortID is the UUID that OVS records as the port's iface-id, by which OVN
	// finds it. Default: none, and the bridge is a Linux bridge instead of an OVS one.
	PortID string `hcl:"port_id,optional"`
	// MAC is the card's address, such as "52:54:00:12:34:56".
	MAC string `hcl:"mac"`
	// MTU is the greatest packet in bytes, which the guest also gets. Default: the
	// bridge's.
	MTU int `hcl:"mtu,optional"`
	// Offload leaves checksums and segmentation to the other end. It must be false on
	// a bridge with OVS's userspace datapath, where TCP hangs otherwise. Default
	// true.
	Offload *bool `hcl:"offload,optional"`
	// Queues is the number of queue pairs, up to the number of vcpus: Windows drivers hang
	// with more. Default 1.
	Queues int `hcl:"queues,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "libvirt_domain", Signs: true, New: func() module.Task { return newTask(virt.Open) }})
}

func newTask(open virt.Opener) *Task { return module.SetDefaults(&Task{open: open}) }

// grace is how long a guest can take to shut down.
func (t *Task) grace() (time.Duration, error) { return time.ParseDuration(t.Shutdown) }

type Outputs struct {
	Name           string `cty:"name"`            // the domain
	Uuid           string `cty:"uuid"`            // its UUID; empty when absent
	State          string `cty:"state"`           // "running", "paused", "stopped" or "absent"
	ConsoleLog     string `cty:"console_log"`     // file on the host that the serial console is written to
	VncPort        int    `cty:"vnc_port"`        // TCP port of the display on the host's loopback; 0 for none
	RestartPending bool   `cty:"restart_pending"` // whether changed arguments wait for a restart
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return Outputs{}, err
	}
	state := string(s.domain.State)
	if !s.exists {
		state = "absent"
	}
	return Outputs{
		Name:           t.Name,
		Uuid:           s.domain.UUID,
		State:          state,
		ConsoleLog:     virt.ConsoleLog(t.Name),
		VncPort:        s.domain.VNCPort,
		RestartPending: s.exists && s.pending(),
	}, nil
}

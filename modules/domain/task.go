// Package domain is the module "libvirt_domain": a virtual machine with one
// disk, its seed and its network cards, defined and running or not.
//
// What is wanted is compared by a hash in the domain's metadata, so what libvirt
// adds to a definition makes no difference.
package domain

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/virt"
)

// Task is a libvirt domain that runs, is stopped, or is not there. A domain of the
// same name that the cluster did not make is never touched.
//
// Outputs:
//   - name: the domain
//   - uuid: its UUID; empty when absent
//   - state: "running", "paused", "stopped" or "absent"
//   - console_log: file on the host that the serial console is written to
//   - vnc_port: TCP port of the display on the host's loopback; 0 for none
//   - restart_pending: whether changed arguments wait for a restart
//
// Errors:
//   - a domain of the name is there and the cluster did not make it, or it has another
//     UUID
//   - libvirt does not start it; where KVM does not work, that is said
//   - an argument is out of its range: with what is expected
type Task struct {
	// Name is the domain's name: letters, digits, '.', '-' and '_'.
	Name string `hcl:"name"`
	// State is "running", "stopped" or "absent". Default "running". A paused
	// domain that should run is resumed.
	State string `hcl:"state,optional"`
	// UUID is the domain's UUID. Default: chosen by libvirt. It cannot change
	// while the domain is defined.
	UUID string `hcl:"uuid,optional"`
	// Description is shown by libvirt's tools. Default: none.
	Description string `hcl:"description,optional"`
	// VCPUs is the number of virtual processors. Needed unless absent.
	VCPUs int `hcl:"vcpus,optional"`
	// Memory is the guest's memory, such as "4GiB". Needed unless absent.
	Memory string `hcl:"memory,optional"`
	// Disk is the absolute path of the qcow2 image the guest starts from. Needed
	// unless absent.
	Disk string `hcl:"disk,optional"`
	// Seed is the absolute path of an ISO that the guest sees as a second disk,
	// which it can only read. Default: none.
	Seed string `hcl:"seed,optional"`
	// CDs are the absolute paths of ISOs in drives on SATA, up to 6. A guest whose disk
	// is empty starts from the first one. A disc that is gone at a start is left out.
	// Default: none.
	CDs []string `hcl:"cdroms,optional"`
	// OSType is "linux", or "windows" for the timers, enlightenments of Hyper-V and
	// devices that Windows wants; the enlightenments are KVM's, so "qemu" is without.
	// Default "linux".
	OSType string `hcl:"os_type,optional"`
	// Clock is the time zone of the machine's clock: "utc", or "localtime" for the
	// host's. Default "utc".
	Clock string `hcl:"clock,optional"`
	// TPM gives the guest an emulated TPM 2.0, for which the host needs swtpm. Default
	// false.
	TPM bool `hcl:"tpm,optional"`
	// VirtType is "kvm", or "qemu" for a host whose processor is emulated.
	// Default "kvm".
	VirtType string `hcl:"virt_type,optional"`
	// CPU is the processor the guest sees: "host-passthrough" or "host-model",
	// both for kvm only, or "maximum", all that the hypervisor can offer. Default
	// "host-passthrough" for kvm and "maximum" for qemu.
	CPU string `hcl:"cpu,optional"`
	// Machine is the chipset: "q35" or "pc". Default "q35".
	Machine string `hcl:"machine,optional"`
	// DiskCache is how writes of the guest reach the disk: "none", "writeback", or
	// "unsafe", which loses them when the host fails and is for guests that are made
	// anew. Default: QEMU's own, "writeback".
	DiskCache string `hcl:"disk_cache,optional"`
	// Firmware is "bios" or "uefi", without secure boot. Default "bios".
	Firmware string `hcl:"firmware,optional"`
	// VNC gives the guest a display, on the loopback of the host. Default false:
	// the guest has only a serial console.
	VNC bool `hcl:"vnc,optional"`
	// Autostart starts the domain with the host. Default false.
	Autostart bool `hcl:"autostart,optional"`
	// Restart makes changed arguments take effect at once by shutting the guest
	// down and starting it again. Default false: they take effect at its next
	// start, and until then the output restart_pending is true.
	Restart bool `hcl:"restart,optional"`
	// Shutdown is how long the guest may take to shut down, such as "60s", before
	// its power is cut; for "stopped" and restart. Default "60s"; with "0s" the
	// power is cut at once, as it is for "absent".
	Shutdown string `hcl:"shutdown,optional"`
	// NICs are the network cards, in the order the guest sees them.
	NICs []NIC `hcl:"nic,block"`

	open virt.Opener
}

// NIC is one virtio network card.
type NIC struct {
	// Bridge is the name of the bridge on the host.
	Bridge string `hcl:"bridge"`
	// PortID is the UUID that OVS records as the port's iface-id, by which OVN
	// knows it. Default: none, and the bridge is one of Linux instead of OVS.
	PortID string `hcl:"port_id,optional"`
	// MAC is the card's address, such as "52:54:00:12:34:56".
	MAC string `hcl:"mac"`
	// MTU is the greatest packet in bytes, also told to the guest. Default: the
	// bridge's.
	MTU int `hcl:"mtu,optional"`
	// Offload leaves checksums and segmentation to the other end. Must be false on
	// a bridge with OVS's userspace datapath, where TCP hangs otherwise. Default
	// true.
	Offload *bool `hcl:"offload,optional"`
	// Queues are the pairs of queues, up to the number of vcpus: drivers of Windows hang
	// with more. Default 1.
	Queues int `hcl:"queues,optional"`
}

// Kind is the module "libvirt_domain".
func Kind() module.Kind {
	return module.Kind{Name: "libvirt_domain", New: func() module.Task { return newTask(virt.Open) }}
}

func newTask(open virt.Opener) *Task {
	return &Task{
		State: "running", VirtType: "kvm", Machine: "q35", Firmware: "bios", OSType: "linux", Clock: "utc",
		Shutdown: "60s",
		open:     open,
	}
}

// grace is how long a guest may take to shut down.
func (t *Task) grace() (time.Duration, error) { return time.ParseDuration(t.Shutdown) }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"name": cty.String, "uuid": cty.String, "state": cty.String,
		"console_log": cty.String, "vnc_port": cty.Number, "restart_pending": cty.Bool,
	}
}

// Outputs reads the values.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	state := string(s.domain.State)
	if !s.exists {
		state = "absent"
	}
	return map[string]cty.Value{
		"name":            cty.StringVal(t.Name),
		"uuid":            cty.StringVal(s.domain.UUID),
		"state":           cty.StringVal(state),
		"console_log":     cty.StringVal(virt.ConsoleLog(t.Name)),
		"vnc_port":        cty.NumberIntVal(int64(s.domain.VNCPort)),
		"restart_pending": cty.BoolVal(s.exists && s.pending()),
	}, nil
}

var _ module.Outputter = (*Task)(nil)
var _ module.Validator = (*Task)(nil)

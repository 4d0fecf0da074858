package virt_test

import (
	"path/filepath"
	"testing"

	"kinit/modules/internal/virt"
	"kinit/test/golden"
)

const (
	uuid   = "0af7651c-9167-4a2e-8fd5-5a3a3f5d6f01"
	portID = "6d2ba4ef-37d4-4c25-b17f-0b2cf0a3fd0e"
)

// kvmSpec is a domain with everything at its default.
func kvmSpec(name string) virt.Spec {
	return virt.Spec{
		Name: name, Type: "kvm", VCPUs: 2, Memory: 4 << 30, CPU: "host-passthrough", Machine: "q35",
		Disk: "/var/lib/libvirt/images/" + name + ".qcow2", Seed: "/var/lib/libvirt/images/" + name + "-seed.iso",
		NICs: []virt.NIC{{Bridge: "br-int", PortID: portID, MAC: "52:54:00:00:00:01", MTU: 1442, Offload: true}},
	}
}

// qemuSpec is a domain with everything else.
func qemuSpec(name string) virt.Spec {
	return virt.Spec{
		Name: name, Description: "node of <k8s>", Type: "qemu", VCPUs: 1, Memory: 512 << 20, CPU: "maximum",
		Machine: "pc", UEFI: true, Disk: "/srv/" + name + ".qcow2", Seed: "/srv/" + name + ".iso", VNC: true,
		DataDisks: []string{"/srv/" + name + "-data-1.qcow2", "/srv/" + name + "-data-2.qcow2"}, PCI: []string{"0000:03:1f.7"},
		NICs: []virt.NIC{
			{Bridge: "br-int", PortID: portID, MAC: "52:54:00:00:00:02"},
			{Bridge: "virbr0", MAC: "52:54:00:00:00:03", Offload: true},
		},
	}
}

// windowsSpec is a guest that installs Windows; with "qemu" it has what emulation can.
func windowsSpec(name, kind string) virt.Spec {
	cpu := "host-passthrough"
	if kind == "qemu" {
		cpu = "maximum"
	}
	return virt.Spec{
		Name: name, Type: kind, VCPUs: 4, Memory: 8 << 30, CPU: cpu, Machine: "q35", UEFI: true,
		Disk: "/srv/" + name + ".qcow2", CDs: []string{"/srv/windows.iso", "/srv/virtio-win.iso", "/srv/" + name + ".iso"},
		VNC: true, Windows: true, TPM: kind == "kvm", LocalTime: kind == "kvm",
		NICs: []virt.NIC{{Bridge: "br-int", PortID: portID, MAC: "52:54:00:00:00:04", MTU: 1442, Offload: kind == "kvm", Queues: 4}},
	}
}

func TestXML(t *testing.T) {
	t.Parallel()
	for file, spec := range map[string]virt.Spec{"kvm.xml": kvmSpec("node-1"), "qemu.xml": qemuSpec("node-2"),
		"windows-kvm.xml": windowsSpec("node-3", "kvm"), "windows-qemu.xml": windowsSpec("node-4", "qemu"),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got, err := spec.XML("k8s", uuid)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", file), got+"\n")
		})
	}
}

func TestHashFollowsWhatIsWantedAndNothingElse(t *testing.T) {
	t.Parallel()
	one, err := kvmSpec("node").Hash()
	if err != nil {
		t.Fatal(err)
	}
	same, _ := kvmSpec("node").Hash()
	if one != same {
		t.Errorf("the same spec gave %s and %s", one, same)
	}
	other := kvmSpec("node")
	other.Memory = 8 << 30
	if changed, _ := other.Hash(); changed == one {
		t.Error("more memory gave the same hash")
	}
}

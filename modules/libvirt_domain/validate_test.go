package domain

import (
	"testing"

	"github.com/hashicorp/hcl/v2/hclsimple"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/virt"
)

func TestArgumentsInHCLBecomeTheSpec(t *testing.T) {
	t.Parallel()
	const text = `
		name     = "node"
		vcpus    = 4
		memory   = "4GiB"
		disk     = "/images/node.qcow2"
		firmware = "uefi"
		os_type  = "windows"
		clock    = "localtime"
		tpm      = true
		cdroms   = ["/iso/windows.iso", "/iso/drivers.iso"]
		nic {
			bridge = "br-int"
			mac    = "52:54:00:12:34:56"
		}
		nic {
			bridge  = "br-int"
			mac     = "52:54:00:12:34:57"
			mtu     = 1442
			offload = false
			queues  = 4
		}`
	task := Kind().New().(*Task)
	if err := hclsimple.Decode("task.hcl", []byte(text), nil, task); err != nil {
		t.Fatal(err)
	}
	if err := module.Check(task); err != nil {
		t.Fatal(err)
	}
	got, err := task.spec()
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "spec", got, virt.Spec{
		Name: "node", Type: "kvm", VCPUs: 4, Memory: 4 << 30, CPU: "host-passthrough", Machine: "q35", UEFI: true,
		Disk: "/images/node.qcow2", CDs: []string{"/iso/windows.iso", "/iso/drivers.iso"},
		Windows: true, LocalTime: true, TPM: true,
		NICs: []virt.NIC{
			{Bridge: "br-int", MAC: "52:54:00:12:34:56", Offload: true},
			{Bridge: "br-int", MAC: "52:54:00:12:34:57", MTU: 1442, Queues: 4},
		},
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments":           {change: func(*Task) {}},
		"absent needs only a name": {change: func(n *Task) { *n = *newTask(nil); n.Name, n.State, n.Shutdown = "n", "absent", "0s" }},
		"name with a slash":        {change: func(n *Task) { n.Name = "a/b" }, want: `name "a/b": expected letters, digits, '.', '-' and '_'`},
		"unknown state":            {change: func(n *Task) { n.State = "on" }, want: `state is "on", want one of running, stopped, absent`},
		"no vcpus":                 {change: func(n *Task) { n.VCPUs = 0 }, want: `vcpus 0: expected at least 1`},
		"memory without a unit": {change: func(n *Task) { n.Memory = "4" },
			want: `memory: "4" is not a number with a unit such as MiB, GiB or GB`},
		"relative disk":        {change: func(n *Task) { n.Disk = "a.qcow2" }, want: `disk "a.qcow2": expected an absolute path`},
		"relative seed":        {change: func(n *Task) { n.Seed = "a.iso" }, want: `seed "a.iso": expected an absolute path`},
		"unknown machine":      {change: func(n *Task) { n.Machine = "arm" }, want: `machine is "arm", want one of q35, pc`},
		"unknown firmware":     {change: func(n *Task) { n.Firmware = "efi" }, want: `firmware is "efi", want one of bios, uefi`},
		"unknown type":         {change: func(n *Task) { n.VirtType = "xen" }, want: `virt_type is "xen", want one of kvm, qemu`},
		"emulated passthrough": {change: func(n *Task) { n.CPU = "host-passthrough" }, want: `cpu "host-passthrough" needs virt_type "kvm": with "qemu" the processor is emulated, use "maximum"`},
		"wrong uuid":           {change: func(n *Task) { n.UUID = "1" }, want: `uuid "1": expected a UUID`},
		"wrong port":           {change: func(n *Task) { n.NICs[0].PortID = "p" }, want: `nic 1: port_id "p": expected a UUID, libvirt takes nothing else`},
		"no bridge":            {change: func(n *Task) { n.NICs[0].Bridge = "" }, want: `nic 1: bridge is empty: expected the name of a bridge on the host`},
		"group address":        {change: func(n *Task) { n.NICs[0].MAC = "01:00:5e:00:00:01" }, want: `nic 1: mac "01:00:5e:00:00:01": expected an address of one card, such as "52:54:00:12:34:56"`},
		"tiny mtu":             {change: func(n *Task) { n.NICs[0].MTU = 10 }, want: `nic 1: mtu 10: expected 68 to 65535 bytes`},
		"unknown system":       {change: func(n *Task) { n.OSType = "win" }, want: `os_type is "win", want one of linux, windows`},
		"unknown clock":        {change: func(n *Task) { n.Clock = "local" }, want: `clock is "local", want one of utc, localtime`},
		"little memory for Windows": {change: func(n *Task) { n.OSType, n.Memory = "windows", "2047MiB" },
			want: `memory 2047MiB: Windows Server installs itself with 2GiB at least`},
		"enough memory for Windows": {change: func(n *Task) { n.OSType, n.Memory = "windows", "2GiB" }},
		"relative CD":               {change: func(n *Task) { n.CDs = []string{"a.iso"} }, want: `cdroms has "a.iso": expected absolute paths`},
		"relative data disk":        {change: func(n *Task) { n.DataDisks = []string{"a.qcow2"} }, want: `data_disks has "a.qcow2": expected absolute paths`},
		"too many data disks":       {change: func(n *Task) { n.DataDisks = make([]string, 25) }, want: `data_disks has 25 paths: expected up to 24`},
		"no PCI address":            {change: func(n *Task) { n.PCIDevices = []string{"03:00.0"} }, want: `pci_devices has "03:00.0": expected addresses such as "0000:03:00.0", in lower case`},
		"too many CDs":              {change: func(n *Task) { n.CDs = make([]string, 7) }, want: `cdroms has 7 paths: expected up to 6`},
		"too many queues":           {change: func(n *Task) { n.NICs[0].Queues = 3 }, want: `nic 1: queues 3: expected up to the number of vcpus, 2`},
		"wrong duration":            {change: func(n *Task) { n.Shutdown = "soon" }, want: `shutdown "soon": expected a duration such as "60s", or "0s"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := node(t)
			task.Name = "node"
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}

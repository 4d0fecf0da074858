package virt

import (
	"strings"
	"testing"

	"libvirt.org/go/libvirt"
	"libvirt.org/go/libvirtxml"
)

// libvirt ignores unknown elements, so a wrong name would change nothing
// and go unnoticed. libvirt's own schema detects it.
func TestDefinitionsForWindowsAreValidBySchema(t *testing.T) {
	t.Parallel()
	c, err := OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, kind := range []string{"kvm", "qemu"} {
		text, err := Spec{
			Name: t.Name() + "-" + kind, Type: kind, VCPUs: 4, Memory: 8 << 30, CPU: "maximum", Machine: "q35", UEFI: true,
			Disk: "/d.qcow2", CDs: []string{"/a.iso", "/b.iso"}, VNC: true, Windows: true, TPM: true, LocalTime: true,
			NICs: []NIC{{Bridge: "br0", MAC: "52:54:00:00:00:04", Queues: 4}},
		}.XML("k8s", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, c, text); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		wrong := strings.ReplaceAll(text, "vmport", "vmprot")
		if err := validate(t, c, wrong); err == nil {
			t.Errorf("%s: the schema takes anything", kind)
		}
	}
}

// validate defines a domain as the test driver's, without what only newer schemas know:
// discard_granularity is of libvirt 11.
func validate(t *testing.T, c *Conn, text string) error {
	t.Helper()
	text = strings.Replace(text, `<blockio discard_granularity="8192"></blockio>`, "", 1)
	var d libvirtxml.Domain
	if err := d.Unmarshal(text); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"kvm", "qemu"} {
		text = strings.Replace(text, `<domain type="`+kind+`"`, `<domain type="test"`, 1)
	}
	lv, err := c.lv.DomainDefineXMLFlags(text, libvirt.DOMAIN_DEFINE_VALIDATE)
	if err != nil {
		return err
	}
	defer lv.Free()
	return lv.Undefine()
}

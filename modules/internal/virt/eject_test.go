package virt

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"libvirt.org/go/libvirt"

	"kinit/engine/need"
	"kinit/modules/internal/virt/virttest"
)

func TestEjectedDiscIsGoneNowAndAtTheNextStart(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	need.Programs(t, "libvirt", "qemu-img")
	disk, keep, out := h.Path("node.qcow2"), h.Path("keep.iso"), h.Path("out.iso")
	if text, err := exec.Command("qemu-img", "create", "-q", "-f", "qcow2", disk, "1G").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, disc := range []string{keep, out} {
		if err := os.WriteFile(disc, make([]byte, 64<<10), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := Spec{
		Name: "node", Type: "qemu", VCPUs: 1, Memory: 128 << 20, CPU: "maximum", Machine: "q35", Disk: disk,
		CDs: []string{keep, out, "/nowhere/gone.iso"}, Windows: true, VNC: true,
	}.XML("lab", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Define(t.Context(), text), c.Start(t.Context(), "node")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// A disc that is gone does not keep a guest from starting.
	checkDiscs(t, c, 0, keep, out)
	for range 2 {
		if err := c.Eject(t.Context(), "node", []string{out}); err != nil {
			t.Fatal(err)
		}
		checkDiscs(t, c, 0, keep)
		checkDiscs(t, c, libvirt.DOMAIN_XML_INACTIVE, keep, "/nowhere/gone.iso")
	}
	// The definition is still the one that is wanted.
	if d, _, err := c.Find(t.Context(), "node"); err != nil || *d.Stamp != *d.Live {
		t.Errorf("stamps %v and %v, %v", d.Stamp, d.Live, err)
	}
}

func checkDiscs(t *testing.T, c *Conn, flags libvirt.DomainXMLFlags, want ...string) {
	t.Helper()
	var got []string
	_, err := c.with(t.Context(), "read", "node", func(lv *libvirt.Domain) error {
		d, err := describe(lv, flags)
		if err == nil {
			got = discs(d)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("discs (-want +got):\n%s", diff)
	}
}

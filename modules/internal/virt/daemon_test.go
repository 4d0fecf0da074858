package virt_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/need"
	"kinit/modules/internal/virt"
	"kinit/modules/internal/virt/virttest"
)

func TestRealLibvirtRunsADomain(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	c, err := virt.Open(t.Context(), h)
	must(t, err)
	defer c.Close()
	spec := emulated(t, h, "node")
	text, err := spec.XML("lab", uuid)
	must(t, err)
	must(t, c.Define(t.Context(), text))
	must(t, c.Start(t.Context(), "node"))

	got := find(t, c, "node")
	hash, _ := spec.Hash()
	if stamp := (virt.Stamp{Owner: "lab", UUID: uuid, Hash: hash}); *got.Stamp != stamp || *got.Live != stamp {
		t.Errorf("stamps %v and %v, want %v", *got.Stamp, *got.Live, stamp)
	}
	if got.State != virt.Running || got.UUID != uuid || got.VNCPort != 5900 {
		t.Errorf("%+v is not running with UUID %s and VNC on port 5900", got, uuid)
	}
	console, err := h.Files().Open(t.Context(), virt.ConsoleLog("node"))
	must(t, err)
	_, err = io.Copy(io.Discard, console)
	must(t, err)

	must(t, c.PowerOff(t.Context(), "node"))
	must(t, c.Undefine(t.Context(), "node"))
}

// A start that a lost connection has left under way may meet that of the next run.
func TestTwoStartsOfADomainAtTheSameTime(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	text, err := emulated(t, h, "node").XML("lab", uuid)
	must(t, err)
	const starts = 4
	var all [starts]*virt.Conn
	for i := range all {
		all[i], err = virt.Open(t.Context(), h)
		must(t, err)
		defer all[i].Close()
	}
	must(t, all[0].Define(t.Context(), text))
	var ended sync.WaitGroup
	for _, c := range all {
		ended.Go(func() {
			if err := c.Start(t.Context(), "node"); err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
	if got := find(t, all[0], "node"); got.State != virt.Running {
		t.Errorf("the domain is %v", got.State)
	}
	must(t, all[0].PowerOff(t.Context(), "node"))
	must(t, all[0].Undefine(t.Context(), "node"))
}

func TestRealLibvirtErrorIsShownWithoutNumbers(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	spec := emulated(t, h, "node")
	spec.Disk = "/nowhere/node.qcow2"
	text, err := spec.XML("lab", uuid)
	must(t, err)
	err = virt.Opener(virt.Open).Do(t.Context(), h, func(c *virt.Conn) error {
		must(t, c.Define(t.Context(), text))
		return c.Start(t.Context(), "node")
	})
	want := "start domain node: Cannot access storage file '/nowhere/node.qcow2' (as uid:0, gid:0): No such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestUndefineRemovesTheFirmwaresVariables(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	if _, err := h.Files().Stat(t.Context(), "/usr/share/OVMF/OVMF_CODE_4M.fd"); err != nil {
		t.Skip("needs the package ovmf")
	}
	c, err := virt.Open(t.Context(), h)
	must(t, err)
	defer c.Close()
	spec := emulated(t, h, "node")
	spec.UEFI = true
	text, err := spec.XML("lab", uuid)
	must(t, err)
	must(t, c.Define(t.Context(), text))
	must(t, c.Start(t.Context(), "node"))
	const variables = "/var/lib/libvirt/qemu/nvram/node_VARS.fd"
	_, err = h.Files().Stat(t.Context(), variables)
	must(t, err)
	must(t, c.PowerOff(t.Context(), "node"))
	must(t, c.Undefine(t.Context(), "node"))
	if _, err := h.Files().Stat(t.Context(), variables); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the variables: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestWaitingForAGuestEndsWithTheContext(t *testing.T) {
	t.Parallel()
	h := virttest.Start(t, "lab")
	c, err := virt.Open(t.Context(), h)
	must(t, err)
	defer c.Close()
	text, err := emulated(t, h, "node").XML("lab", uuid)
	must(t, err)
	must(t, c.Define(t.Context(), text))
	must(t, c.Start(t.Context(), "node"))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	// The guest has no system that could follow.
	if err := c.Shutdown(ctx, "node", time.Hour); err != context.DeadlineExceeded {
		t.Errorf("shut down: %v, want %v", err, context.DeadlineExceeded)
	}
}

// emulated is a domain that QEMU can run without KVM, with an empty disk.
func emulated(t *testing.T, h *virttest.Host, name string) virt.Spec {
	t.Helper()
	need.Programs(t, "libvirt", "qemu-img")
	disk := h.Path(name + ".qcow2")
	if out, err := exec.Command("qemu-img", "create", "-q", "-f", "qcow2", disk, "1G").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
	}
	return virt.Spec{
		Name: name, Type: "qemu", VCPUs: 2, Memory: 128 << 20, CPU: "maximum", Machine: "q35", Disk: disk, VNC: true,
		NICs: []virt.NIC{{Bridge: virttest.Bridge, MAC: "52:54:00:00:00:01", MTU: 1442}},
	}
}

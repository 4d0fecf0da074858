package guestwatch_test

import (
	"bytes"
	"context"
	"image/png"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/virt"
	"kinit/modules/internal/virt/virttest"
)

// machine is a host whose virsh speaks with the daemon of the test.
type machine struct {
	*virttest.Host
	uri string
}

func (m machine) Run(ctx context.Context, c module.Command) (module.Output, error) {
	for i, word := range c.Argv {
		if word == "qemu:///system" {
			c.Argv[i] = m.uri
		}
	}
	return m.Host.Run(ctx, c)
}

func TestRealGuestIsWatchedAndItsScreenKept(t *testing.T) {
	t.Parallel()
	need.Programs(t, "libvirt", "qemu-img", "virsh", "stdbuf")
	h := virttest.Start(t, "k8s")
	disk := h.Path("node.qcow2")
	if out, err := exec.Command("qemu-img", "create", "-q", "-f", "qcow2", disk, "1G").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	socket, err := h.Socket(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{h, "qemu+unix:///system?socket=" + socket}
	open := virt.Opener(virt.Open)
	start(t, h, open, disk)

	press := func(c *virt.Conn) error { return c.PressKey(t.Context(), "node", virt.KeyUp) }
	if err := open.Do(t.Context(), h, press); err != nil {
		t.Errorf("press a key: %v", err)
	}
	g := guestwatch.Guest{Domain: "node", Disk: disk, Open: open, BootKey: true, Pictures: h.Path("pictures"), Every: 100 * time.Millisecond}
	err = g.Wait(t.Context(), m, "it to restart", time.Minute, func(ctx context.Context, s guestwatch.Sight) (bool, error) {
		if s.Problem != "" && !strings.Contains(s.Problem, "no such file") {
			t.Errorf("problem: %s", s.Problem)
		}
		// The listener may not listen yet, so the guest is restarted until one is seen.
		if s.Restarts == 0 {
			_, err := m.Run(ctx, module.Command{Argv: []string{"virsh", "--connect", m.uri, "reset", "node"}})
			return false, err
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}

	err = g.Wait(t.Context(), m, "it to answer", 300*time.Millisecond, func(context.Context, guestwatch.Sight) (bool, error) { return false, nil })
	where := regexp.MustCompile(`\nIts screen is in (/\S+/pictures/node-\d{8}T\d{6}Z\.png) on localhost\.$`).FindStringSubmatch(err.Error())
	if where == nil {
		t.Fatalf("got %v", err)
	}
	file, err := h.Files().Open(t.Context(), where[1])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(file); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&raw)
	if err != nil || picture.Bounds().Dx() < 320 || picture.Bounds().Dy() < 200 {
		t.Errorf("the picture: %v, %v", picture, err)
	}
}

func start(t *testing.T, h *virttest.Host, open virt.Opener, disk string) {
	t.Helper()
	text, err := virt.Spec{
		Name: "node", Type: "qemu", VCPUs: 1, Memory: 128 << 20, CPU: "maximum", Machine: "q35", Disk: disk, VNC: true,
	}.XML("k8s", "")
	if err != nil {
		t.Fatal(err)
	}
	err = open.Do(t.Context(), h, func(c *virt.Conn) error {
		if err := c.Define(t.Context(), text); err != nil {
			return err
		}
		return c.Start(t.Context(), "node")
	})
	if err != nil {
		t.Fatal(err)
	}
}

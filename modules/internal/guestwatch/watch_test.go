package guestwatch_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/guestwatch"
	"kinit/modules/internal/virt"
)

const disk = "/images/win.qcow2"

func openTest(ctx context.Context, _ module.Host) (*virt.Conn, error) { return virt.OpenTest(ctx) }

// lab is a host with a running domain of libvirt's test driver, named after the test.
func lab(t *testing.T) (*moduletest.FakeHost, *virt.Conn, guestwatch.Guest) {
	t.Helper()
	c, err := virt.OpenTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	text, err := virt.Spec{
		Name: t.Name(), Type: "qemu", VCPUs: 1, Memory: 2 << 30, CPU: "maximum", Machine: "q35", Disk: disk, VNC: true,
	}.XML("k8s", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{c.Define(t.Context(), text), c.Start(t.Context(), t.Name())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put(disk, strings.Repeat("x", 3<<20), 0o600)
	h.Handle(virsh(t.Name(), 0))
	g := guestwatch.Guest{Domain: t.Name(), Disk: disk, Open: openTest, Pictures: "/var/pictures", Every: time.Millisecond}
	return h, c, g
}

// virsh answers a listener for restarts of a domain.
func virsh(domain string, restarts int) func(moduletest.Call) (moduletest.Reply, bool) {
	return func(c moduletest.Call) (moduletest.Reply, bool) {
		if c.Line() != "stdbuf -oL virsh --connect qemu:///system event --domain "+domain+" --event reboot --loop" {
			return moduletest.Reply{}, false
		}
		return moduletest.Reply{Stdout: strings.Repeat("event 'reboot' for domain '"+domain+"'\n", restarts)}, true
	}
}

func say(h *moduletest.FakeHost, g guestwatch.Guest, text string) {
	h.FS.Put(virt.ConsoleLog(g.Domain), "BdsDxe: loading\r\nkinit: begins\r\nkinit: "+text+"\r\n", 0o600)
}

func TestSightIsWhatTheHypervisorSees(t *testing.T) {
	t.Parallel()
	h, _, g := lab(t)
	say(h, g, "sets up WinRM")
	var seen guestwatch.Sight
	err := g.Wait(t.Context(), h, "it", time.Minute, func(_ context.Context, s guestwatch.Sight) (bool, error) {
		seen = s
		return true, nil
	})
	if want := (guestwatch.Sight{Written: 3 << 20, Said: "sets up WinRM"}); err != nil || seen != want {
		t.Errorf("saw %+v, %v; want %+v", seen, err, want)
	}
}

func TestRestartsAreCounted(t *testing.T) {
	t.Parallel()
	h, _, g := lab(t)
	h.Handle(virsh("other", 3))
	g.Domain = "other" // which is not there, as far as libvirt knows
	err := g.Wait(t.Context(), h, "it", time.Minute, func(_ context.Context, s guestwatch.Sight) (bool, error) {
		if s.Problem != "there is no domain other" {
			t.Errorf("the problem is %q", s.Problem)
		}
		return s.Restarts == 3, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestGuestThatTurnsItselfOffIsSeen(t *testing.T) {
	t.Parallel()
	h, c, g := lab(t)
	if err := c.Shutdown(t.Context(), g.Domain, time.Minute); err != nil {
		t.Fatal(err)
	}
	err := g.Wait(t.Context(), h, "it", time.Minute, func(_ context.Context, s guestwatch.Sight) (bool, error) {
		return s.Off && s.ShutDown, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestGuestWhosePowerWasCutDidNotTurnItselfOff(t *testing.T) {
	t.Parallel()
	h, c, g := lab(t)
	if err := c.PowerOff(t.Context(), g.Domain); err != nil {
		t.Fatal(err)
	}
	off := errors.New("off")
	err := g.Wait(t.Context(), h, "it", time.Minute, func(_ context.Context, s guestwatch.Sight) (bool, error) {
		if s.Off && !s.ShutDown {
			return false, off
		}
		return false, nil
	})
	if !errors.Is(err, off) || err.Error() != "off" {
		t.Errorf("got %v, want the error alone: there is no screen to be shown", err)
	}
}

func TestScriptThatFailedEndsTheWaiting(t *testing.T) {
	t.Parallel()
	h, _, g := lab(t)
	say(h, g, "failed: no network card was up within 10 minutes (D:/kinit-setup.ps1, line 20)")
	g.Pictures = ""
	err := g.Wait(t.Context(), h, "it", time.Minute, func(context.Context, guestwatch.Sight) (bool, error) { return false, nil })
	want := "the guest's script failed: no network card was up within 10 minutes (D:/kinit-setup.ps1, line 20)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if failed, err := g.Failed(t.Context(), h); err != nil || !failed {
		t.Errorf("failed: %v, %v", failed, err)
	}
}

func TestTimeThatIsOverSaysWhatWasSeenLast(t *testing.T) {
	t.Parallel()
	h, _, g := lab(t)
	say(h, g, "waits for the network")
	g.Pictures = ""
	err := g.Wait(t.Context(), h, "win to answer", 2*time.Second, func(context.Context, guestwatch.Sight) (bool, error) { return false, nil })
	want := `^waited 2s for win to answer: 0\.0 GiB written, it says: waits for the network`
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCancelledWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h, _, g := lab(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := g.Wait(ctx, h, "it", time.Hour, func(context.Context, guestwatch.Sight) (bool, error) {
		cancel()
		return false, nil
	})
	if err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

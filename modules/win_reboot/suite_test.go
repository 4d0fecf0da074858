package winreboot

import (
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/winhost"
)

// pending is a host on which a feature waits for a restart.
func pending(t *testing.T, o winhost.Options) *winhost.Host {
	t.Helper()
	h := winhost.New(t, o)
	change, err := h.Features.Install([]string{"Containers"}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Apply(change); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	h := pending(t, winhost.Options{Language: "de-DE", Options: machine.Options{BootTime: 300 * time.Millisecond}})
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return Kind().New() }, Host: h})
	if h.Boots() != 2 {
		t.Errorf("%d boots, want 2", h.Boots())
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	h := pending(t, winhost.Options{})
	for args, want := range map[string]string{
		``:                "restart the host, since parts of Windows were installed or removed",
		`required = true`: "restart the host, since parts of Windows were installed or removed",
	} {
		if got := moduletest.Planned(t.Context(), moduletest.Decode(t, Kind(), args), h); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
	clean := winhost.New(t, winhost.Options{})
	for args, want := range map[string]string{``: "", `required = true`: "restart the host, as the playbook asks for it"} {
		if got := moduletest.Planned(t.Context(), moduletest.Decode(t, Kind(), args), clean); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestHostThatIsNotReadyIsLate(t *testing.T) {
	t.Parallel()
	h := pending(t, winhost.Options{})
	task := moduletest.Decode(t, Kind(), "within = \"5s\"\nready = \"throw 'containerd is stopped'\"")
	want := h.Name() + " was restarted and is not ready after 5s: command ended with code 1: containerd is stopped"
	if got := moduletest.Apply(t, task, h); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
